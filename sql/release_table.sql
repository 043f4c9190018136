-- Writes a staged release into a writable source, inside a transaction that is measured before it commits. One row is one
-- person, or one class of a statistical table.
CREATE TABLE released_members AS SELECT released.value FROM released
