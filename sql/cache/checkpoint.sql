-- Writes the changes of the cache out.
-- after: attach
CHECKPOINT ordermade_cache
