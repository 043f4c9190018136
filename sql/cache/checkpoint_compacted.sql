-- Writes the new file out.
-- after: attach_compacted
CHECKPOINT ordermade_compacted
