-- Attaches a state for a backup, without writing to it.
-- $path = '.ordermade/state.duckdb'
ATTACH $path AS ordermade_state (READ_ONLY)
