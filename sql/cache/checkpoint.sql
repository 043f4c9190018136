-- Writes the changes of the cache out.
CHECKPOINT ordermade_cache
