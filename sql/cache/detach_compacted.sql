-- Detaches the new file.
-- after: attach_compacted
DETACH ordermade_compacted
