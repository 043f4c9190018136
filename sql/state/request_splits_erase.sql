-- Erases what requests were asked with, of one table.
-- $id = [1]
DELETE FROM request_splits WHERE request_id IN (SELECT value FROM json_each($id))
