-- Indexes a table of the workspace in the source by the column that the source's rows are joined on.
-- after: received
CREATE INDEX received_key ON received (qi)
