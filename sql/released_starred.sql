-- The release as a reader sees it, and the suppressed rows as one combination more. One row is one combination.
SELECT shown.value, shown.n, FALSE AS star FROM shown
UNION ALL
SELECT NULL AS value, 5 AS n, TRUE AS star
