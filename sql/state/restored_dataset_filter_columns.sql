-- Fills the filter columns of a restored state: those of the copy, and of the datasets that were added since.
-- after: attach_state, attach_restored, restored_datasets
INSERT INTO main.dataset_filter_columns
SELECT * FROM ordermade_restored.dataset_filter_columns
UNION ALL
SELECT c.*
FROM ordermade_state.dataset_filter_columns AS c
WHERE c.dataset_id NOT IN (SELECT b.id FROM ordermade_restored.datasets AS b)
