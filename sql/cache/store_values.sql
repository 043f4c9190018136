-- Copies counted values that have crossed (stand-in: marginal) into the cache (stand-in: vc_1). One row: a value, or a
-- code of a rule.
-- after: leave_values, attach
CREATE TABLE ordermade_cache.main.vc_1 AS SELECT key, code, leaves, n, n_log_n FROM ordermade_crossing.main.marginal
