-- Attaches the state to read it and write to it.
-- $path = '.ordermade/state.duckdb'
ATTACH $path AS ordermade_state
