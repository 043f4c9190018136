-- The elements of the sets of items, with how many elements a set has, and how many goods of the original they are: an
-- element that is no good counts as one. One row is one element of one set.
SELECT
  part.item_set,
  part.element,
  CAST(COUNT(*) OVER (PARTITION BY part.item_set) AS INTEGER) AS size,
  CAST(SUM(GREATEST(elements.goods, 1)) OVER (PARTITION BY part.item_set) AS INTEGER) AS goods
FROM (SELECT item_sets.item_set, UNNEST(item_sets.contents) AS element FROM item_sets) AS part
JOIN elements ON part.element = elements.element
