-- The values of a column that occur among the records, as texts, in the order of the values. One row is one of them.
SELECT CAST(microdata.value AS VARCHAR) AS label
FROM microdata
GROUP BY CAST(microdata.value AS VARCHAR)
ORDER BY MIN(microdata.value) NULLS LAST, label
