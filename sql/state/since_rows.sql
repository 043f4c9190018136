-- The rows of a table (stand-in: requests) that were added or changed since the copy. One row: their number.
-- after: attach_state, attach_restored
SELECT COUNT(*) AS rows
FROM (
    SELECT * FROM ordermade_state.requests
    EXCEPT
    SELECT * FROM ordermade_restored.requests
) AS since
