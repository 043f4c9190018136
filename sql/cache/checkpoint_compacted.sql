-- Writes the new file out.
CHECKPOINT ordermade_compacted
