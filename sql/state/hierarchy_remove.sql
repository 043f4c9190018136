-- Takes a hierarchy out of use; its rows stay.
-- $id = 1
-- $removed_at = TIMESTAMP '2025-02-01 12:00:00'
-- after: hierarchy_insert
UPDATE hierarchies SET removed_at = $removed_at WHERE id = $id
