-- Copies stored counts of values (stand-in: vc_1) to where they cross to the workspace (stand-in: loaded). One row: a
-- value, or a code of a rule.
-- after: store_values
CREATE TABLE ordermade_crossing.main.loaded AS SELECT key, code, leaves, n, n_log_n FROM ordermade_cache.main.vc_1
