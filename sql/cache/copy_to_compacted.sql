-- Copies what is left in the cache to the new file, so that what was purged is on no page of it.
COPY FROM DATABASE ordermade_cache TO ordermade_compacted
