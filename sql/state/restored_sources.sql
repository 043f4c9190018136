-- Fills the sources of a restored state with those of the copy; those that were added since are there as removed.
-- $removed_at = TIMESTAMP '2025-02-01 12:00:00'
-- after: attach_state, attach_restored
INSERT INTO sources
SELECT * FROM ordermade_restored.sources
UNION ALL
SELECT s.* REPLACE (COALESCE(s.removed_at, $removed_at) AS removed_at)
FROM ordermade_state.sources AS s
ANTI JOIN ordermade_restored.sources AS b USING (id)
