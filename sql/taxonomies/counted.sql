-- How often is each item of a table described in which words? One row is one item with one description; an item and a
-- description that are empty count as none.
SELECT counted.item, counted.description, COUNT(*) AS n
FROM (
  SELECT
    NULLIF(CAST(dataset.qi AS VARCHAR), '') AS item,
    NULLIF(TRIM(CAST(dataset.kept AS VARCHAR)), '') AS description
  FROM dataset
) AS counted
GROUP BY counted.item, counted.description
