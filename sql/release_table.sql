-- Writes a staged release into a writable source, inside a transaction that is measured before it commits.
CREATE TABLE released_members AS SELECT released.value FROM released
