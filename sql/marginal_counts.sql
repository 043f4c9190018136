-- How many rows has each value of one attribute, and is it NULL? One row is one value.
SELECT marginal.n, marginal.key IS NULL AS is_null FROM marginal
