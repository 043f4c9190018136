-- The release as texts, in the order of its own columns, the suppressed rows at the end as * in every column. One row
-- is one combination.
SELECT CASE WHEN released.star THEN '*' ELSE CAST(released.value AS VARCHAR) END AS value, released.n
FROM released
ORDER BY released.star, released.value NULLS FIRST
