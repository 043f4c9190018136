-- The rows of each value of one attribute, and whether the value is NULL. One row is one value.
SELECT marginal.n, marginal.key IS NULL AS is_null FROM marginal
