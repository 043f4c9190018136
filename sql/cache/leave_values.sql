-- Copies the counted values of a column (stand-in: marginal) to where they cross to the cache. One row: a value, or a
-- code of a rule.
-- after: stand_ins, attach_crossing
CREATE TABLE ordermade_crossing.main.marginal AS SELECT key, code, leaves, n, n_log_n FROM marginal
