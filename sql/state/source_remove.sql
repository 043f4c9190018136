-- Takes a source out of use; its row stays.
-- $id = 1
-- $removed_at = TIMESTAMP '2025-02-01 12:00:00'
-- after: source_insert
UPDATE sources SET removed_at = $removed_at WHERE id = $id
