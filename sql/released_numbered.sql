-- The release, counted, with the number of each combination's class. One row is one combination of released values.
SELECT class.class, counted.value, counted.person, counted.n
FROM counted
JOIN classes AS class ON counted.value IS NOT DISTINCT FROM class.value
