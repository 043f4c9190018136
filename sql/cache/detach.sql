-- Lets go of the cache.
-- after: attach
DETACH ordermade_cache
