-- Removes the cells of a stored set (stand-in: fs_1).
-- after: store
DROP TABLE IF EXISTS ordermade_cache.main.fs_1
