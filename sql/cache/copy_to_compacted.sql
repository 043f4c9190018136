-- Copies what is left in the cache to the new file, so that what was purged is on no page of it.
-- after: create_frequency_sets, attach_compacted
COPY FROM DATABASE ordermade_cache TO ordermade_compacted
