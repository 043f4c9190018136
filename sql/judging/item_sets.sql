-- The different sets of items by number. One row is one set.
SELECT CAST(ROW_NUMBER() OVER (ORDER BY different.contents) - 1 AS INTEGER) AS item_set, different.contents
FROM (SELECT DISTINCT text_sets.contents FROM text_sets) AS different
