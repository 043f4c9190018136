-- How many rows and values has one attribute, and what is the sum of n ln n over its values? One row.
SELECT COUNT(*) AS keys, SUM(marginal.n) AS n, SUM(marginal.leaves) AS leaves, SUM(marginal.n_log_n) AS n_log_n FROM marginal
