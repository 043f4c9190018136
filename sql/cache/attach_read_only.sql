-- Attaches the cache to read it.
-- $path = '.ordermade/cache.duckdb'
-- after: create_frequency_sets, checkpoint, detach
ATTACH $path AS ordermade_cache (READ_ONLY)
