-- Fills a table of the workspace in the source.
-- $value = 'E'
-- after: received
INSERT INTO received VALUES ($value)
