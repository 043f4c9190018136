-- Drops a temporary table of the engine's own, and never one of the source that has its name. Gives no row.
DROP TABLE IF EXISTS temp.main.stored
