-- The combinations of values with their classes at every level of every hierarchy. One row is one combination.
SELECT keys.level AS level, valued.kept AS kept, valued.n AS n
FROM valued
LEFT JOIN keys ON valued.code IS NOT DISTINCT FROM keys.key
