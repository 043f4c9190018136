-- Attaches the new file that the sets which stay are copied to.
-- $path = '.ordermade/cache.compacted.duckdb'
ATTACH $path AS ordermade_compacted (READ_WRITE, RECOVERY_MODE NO_WAL_WRITES)
