-- Categories of items.

-- name: figures
-- The reach of a taxonomy. One row: goods and records of the table (NULL left out), records without an item, and goods
-- and records that the taxonomy does not list.
SELECT
  COUNT(marginal.key) AS goods,
  COALESCE(SUM(CASE WHEN marginal.key IS NOT NULL THEN marginal.n END), 0) AS records,
  COALESCE(SUM(CASE WHEN marginal.key IS NULL THEN marginal.n END), 0) AS without_item,
  COALESCE(SUM(CASE WHEN marginal.key IS NOT NULL AND listed.key IS NULL THEN 1 END), 0) AS unsorted_goods,
  COALESCE(SUM(CASE WHEN marginal.key IS NOT NULL AND listed.key IS NULL THEN marginal.n END), 0) AS unsorted_records
FROM marginal
LEFT JOIN (SELECT DISTINCT keys.key FROM keys WHERE keys.key IS NOT NULL) AS listed ON listed.key = marginal.key;

-- name: unsorted
-- The items that a taxonomy does not list. One row is one item, the most frequent first. For the provider's eyes alone.
SELECT CAST(marginal.key AS VARCHAR) AS item, marginal.n
FROM marginal
WHERE marginal.key IS NOT NULL AND NOT EXISTS (SELECT 1 FROM keys WHERE keys.key = marginal.key)
ORDER BY marginal.n DESC, item;

-- name: goods
-- The goods that each class of a taxonomy lists, those of them in the table, and their records. One row is one class at
-- a level, by its number.
SELECT
  keys.level AS class,
  COUNT(*) AS listed,
  COUNT(marginal.key) AS goods,
  COALESCE(SUM(marginal.n), 0) AS records
FROM keys
LEFT JOIN marginal ON marginal.key = keys.key
WHERE keys.key IS NOT NULL
GROUP BY keys.level
ORDER BY keys.level;

-- name: counted
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
GROUP BY counted.item, counted.description;

-- name: items
-- The items of a table, each with its most frequent description. One row is one item: its most frequent description (of
-- equals the first in order; NULL if it never has one) and its records. The item NULL comes first.
SELECT described.item, described.description, described.records
FROM (
  SELECT
    item_descriptions.item,
    item_descriptions.description,
    SUM(item_descriptions.n) OVER (PARTITION BY item_descriptions.item) AS records,
    ROW_NUMBER() OVER (
      PARTITION BY item_descriptions.item
      ORDER BY item_descriptions.description IS NULL, item_descriptions.n DESC, item_descriptions.description
    ) AS place
  FROM item_descriptions
) AS described
WHERE described.place = 1
ORDER BY described.item NULLS FIRST;
