-- The rows of each combination of values in these columns, as texts. The source counts its values as they are stored; the
-- workspace writes them as texts. One row is one combination.
SELECT texts.label_1, SUM(texts.n) AS n
FROM (
  SELECT CAST(counted.value_1 AS VARCHAR) AS label_1, counted.n
  FROM (SELECT dataset.qi AS value_1, COUNT(*) AS n FROM dataset GROUP BY dataset.qi) AS counted
) AS texts
GROUP BY texts.label_1
