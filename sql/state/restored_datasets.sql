-- Fills the datasets of a restored state with those of the copy; those that were added since are there as removed.
-- $removed_at = TIMESTAMP '2025-02-01 12:00:00'
-- after: attach_state, attach_restored, restored_sources
INSERT INTO datasets
SELECT * FROM ordermade_restored.datasets
UNION ALL
SELECT s.* REPLACE (COALESCE(s.removed_at, $removed_at) AS removed_at)
FROM ordermade_state.datasets AS s
ANTI JOIN ordermade_restored.datasets AS b USING (id)
