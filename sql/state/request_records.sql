-- The documents of requests. One row: the number of a request and its document.
-- $id = [1]
-- after: request_insert
SELECT id, record FROM requests WHERE id IN (SELECT value FROM json_each($id))
