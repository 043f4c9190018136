-- The set of each cell of items, by number. One row is one cell text.
SELECT text_sets.item, item_sets.item_set FROM text_sets JOIN item_sets ON text_sets.contents = item_sets.contents
