-- The values that a column has, each its own label. One row is one value.
SELECT DISTINCT keys.key, keys.key AS label FROM keys
