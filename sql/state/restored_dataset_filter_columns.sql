-- Fills the filter columns of a restored state: those of the copy, and of the datasets that were added since.
-- after: attach_state, attach_restored, restored_datasets
INSERT INTO dataset_filter_columns
SELECT * FROM ordermade_restored.dataset_filter_columns
UNION ALL
SELECT c.*
FROM ordermade_state.dataset_filter_columns AS c
ANTI JOIN ordermade_restored.datasets AS b ON b.id = c.dataset_id
