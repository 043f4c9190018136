-- Erases the row filter of dataset versions. NULL would say that there was none.
-- $id = [7]
-- after: version_insert
UPDATE dataset_versions SET filter = 'erased by policy' WHERE id IN (SELECT value FROM json_each($id))
