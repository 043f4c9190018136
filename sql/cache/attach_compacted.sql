-- Attaches the new file for the sets which stay.
-- $path = '.ordermade/cache.compacted.duckdb'
ATTACH $path AS ordermade_compacted (READ_WRITE, RECOVERY_MODE NO_WAL_WRITES)
