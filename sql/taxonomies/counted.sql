-- The frequency of each description of each item of a table. One row is one item with one description; an item and a
-- description that are empty count as none. The source runs the subquery `described`, the workspace the rest.
SELECT counted.item, counted.description, SUM(counted.n) AS n
FROM (
  SELECT
    NULLIF(CAST(described.item AS VARCHAR), '') AS item,
    NULLIF(TRIM(CAST(described.description AS VARCHAR)), '') AS description,
    described.n
  FROM (
    SELECT dataset.qi AS item, dataset.kept AS description, COUNT(*) AS n
    FROM dataset
    GROUP BY dataset.qi, dataset.kept
  ) AS described
) AS counted
GROUP BY counted.item, counted.description
