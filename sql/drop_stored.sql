-- Drops a table of the engine's own. Gives no row.
DROP TABLE IF EXISTS stored
