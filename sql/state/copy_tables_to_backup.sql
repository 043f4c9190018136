-- Makes the tables of the state in an attached new file, empty; their numbers go on where those of the state have come to.
-- after: attach_state, attach_backup
COPY FROM DATABASE ordermade_state TO ordermade_backup (SCHEMA)
