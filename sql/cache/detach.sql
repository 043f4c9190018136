-- Lets go of the cache.
DETACH ordermade_cache
