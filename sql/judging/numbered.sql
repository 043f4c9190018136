-- The different values of a column of texts by number, in their order. One row is one value.
SELECT CAST(ROW_NUMBER() OVER (ORDER BY different.label) - 1 AS INTEGER) AS number, different.label
FROM (SELECT DISTINCT texts.label AS label FROM texts WHERE texts.label IS NOT NULL) AS different
