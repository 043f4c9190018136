-- Attaches the state to read it.
-- $path = '.ordermade/state.duckdb'
ATTACH $path AS ordermade_state (READ_ONLY)
