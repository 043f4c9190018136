-- Erases the text, the target and the columns of requests; the lists run in parallel, one place a request: `record` is
-- what stays of its document. Of one without a release its row filter goes, too.
-- $id = [1]
-- $record = ['{"version":1,"title":"erased by policy"}']
-- $erased_at = TIMESTAMP '2025-01-31 12:00:00'
-- after: request_insert
UPDATE requests
SET request = NULL, reason = NULL, record = $record, erased_at = $erased_at,
    filter = CASE WHEN id IN (SELECT request_id FROM releases) THEN filter ELSE NULL END
WHERE id = $id
