-- The rows of a table (stand-in: requests, its key in place of id) that were added since the copy. One row: their number.
-- after: attach_state, attach_restored
SELECT COUNT(*) AS rows
FROM ordermade_state.requests AS s
LEFT JOIN ordermade_restored.requests AS b USING (id)
WHERE b.id IS NULL
