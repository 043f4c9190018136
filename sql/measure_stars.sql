-- The number of rows of a release with * in every column. One row.
SELECT COUNT(*) AS stars, COALESCE(SUM(CAST(released.n AS BIGINT)), 0) AS units FROM released WHERE released.value = '*'
