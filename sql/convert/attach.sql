-- Attaches a state of an earlier engine, a DuckDB file, to read it.
-- $path = 'state.duckdb'
ATTACH $path AS before (READ_ONLY)
