-- The number of elements and goods of each set of items. One row is one set.
SELECT released_sets.item_set, MAX(released_sets.size) AS size, MAX(released_sets.goods) AS goods
FROM released_sets
GROUP BY released_sets.item_set
