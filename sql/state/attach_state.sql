-- Attaches the state that a copy takes the place of, to read it.
-- $path = 'file:.ordermade/state.sqlite?mode=ro'
ATTACH DATABASE $path AS ordermade_state
