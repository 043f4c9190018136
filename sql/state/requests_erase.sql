-- Erases what requests were asked with. Number, hash, dataset, k and figures stay, and the row filter of those with a
-- release, which later filters are compared with.
-- $id = [1]
-- $erased_at = TIMESTAMP '2030-01-31 12:00:00'
UPDATE requests
SET title = 'erased by policy', request = NULL, reason = NULL, target_path = NULL, target_table = NULL, weights = NULL,
    options = NULL, risk = NULL, erased_at = $erased_at,
    filter = CASE WHEN id IN (SELECT request_id FROM releases) THEN filter ELSE NULL END
WHERE id IN (SELECT value FROM json_each($id))
