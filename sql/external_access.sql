-- Closes this database to all files that it was not allowed: for reading, writing, attaching, loading. Gives no row.
SET enable_external_access = FALSE
