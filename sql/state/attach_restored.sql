-- Attaches the copy that is restored, to read it.
-- $path = 'file:.ordermade/state.sqlite?mode=ro'
ATTACH DATABASE $path AS ordermade_restored
