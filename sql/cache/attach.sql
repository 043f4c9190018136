-- Attaches the cache to write to it; without a log file beside it, a checkpoint makes the change lasting.
-- $path = '.ordermade/cache.duckdb'
ATTACH $path AS ordermade_cache (READ_WRITE, RECOVERY_MODE NO_WAL_WRITES)
