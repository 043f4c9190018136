-- Detaches the cache.
-- after: attach
DETACH ordermade_cache
