-- The length of a table of counted values, its rows of the dataset, a hash of its whole content in any order, and the
-- bytes it takes before compression. One row: a table, marked with its number.
-- after: stand_ins
SELECT
  0 AS number,
  COUNT(*) AS length,
  COALESCE(SUM(marginal.n), 0) AS source_rows,
  COALESCE(SUM(HASH(marginal.key, marginal.code, marginal.leaves, marginal.n, marginal.n_log_n)), 0) AS content,
  COALESCE(SUM(48 + 2 * COALESCE(STRLEN(CAST(marginal.key AS VARCHAR)), 0)), 0) AS bytes
FROM marginal
