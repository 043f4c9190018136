-- Erases the lists of offers that were offered to requests last.
-- $id = [1]
DELETE FROM offer_lists WHERE request_id IN (SELECT value FROM json_each($id))
