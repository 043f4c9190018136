-- The combinations of values with their classes at every level of every hierarchy. One row is one combination.
SELECT keys.level AS level, counted.kept AS kept, counted.n AS n
FROM counted
LEFT JOIN keys ON counted.code IS NOT DISTINCT FROM keys.key
