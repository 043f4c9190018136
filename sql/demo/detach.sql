-- Closes the database file of the demo: everything is on disk then.
-- after: attach
DETACH demo
