-- Copies the whole state, as one consistent snapshot, into the attached backup.
-- after: attach_state, attach_backup
COPY FROM DATABASE ordermade_state TO ordermade_backup
