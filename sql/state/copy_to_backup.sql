-- Copies the whole state, as one consistent snapshot, into the attached backup.
COPY FROM DATABASE ordermade_state TO ordermade_backup
