-- Attaches the cache to read it.
-- $path = '.ordermade/cache.duckdb'
ATTACH $path AS ordermade_cache (READ_ONLY)
