-- What the rows of the source are joined on finds its row of a table of the workspace.
-- after: received
CREATE INDEX received_key ON received (qi)
