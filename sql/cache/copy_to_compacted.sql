-- Copies the rest of the cache to the new file, so that a purged set is on no page of it.
-- after: create_frequency_sets, attach_compacted
COPY FROM DATABASE ordermade_cache TO ordermade_compacted
