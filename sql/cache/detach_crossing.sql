-- Detaches the file in which tables cross.
-- after: attach_crossing
DETACH ordermade_crossing
