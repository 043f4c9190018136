-- Attaches the file in which tables cross between the cache and a workspace, which reaches no file beyond its folder.
-- $path = 'crossing.duckdb'
ATTACH $path AS ordermade_crossing (READ_WRITE, RECOVERY_MODE NO_WAL_WRITES)
