-- Removes stored counts of values (stand-in: vc_1).
-- after: store_values
DROP TABLE IF EXISTS ordermade_cache.main.vc_1
