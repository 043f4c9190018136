-- The rows of each combination of values in these columns, as texts. One row is one combination.
SELECT texts.label_1, COUNT(*) AS n
FROM (SELECT CAST(dataset.qi AS VARCHAR) AS label_1 FROM dataset) AS texts
GROUP BY texts.label_1
