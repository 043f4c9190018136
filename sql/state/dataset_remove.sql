-- Takes a dataset out of use; its row stays.
-- $id = 1
-- $removed_at = TIMESTAMP '2025-02-01 12:00:00'
-- after: dataset_insert
UPDATE datasets SET removed_at = $removed_at WHERE id = $id
