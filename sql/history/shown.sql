-- The released text of each slot's purchases: a value that they all have as it is, else the interval or the set of
-- their values, or * in place of a deleted number. One row is one slot: n customers have one such purchase each.
SELECT
  slots.cluster,
  slots.slot,
  slots.n,
  CASE
    WHEN LENGTH(slots.items) = 1 THEN LIST_SELECT(names.labels, slots.items)[1]
    ELSE '{' || ARRAY_TO_STRING(LIST_SELECT(names.labels, slots.items), ', ') || '}'
  END AS item,
  CASE
    WHEN slots.low IS NULL THEN '*'
    WHEN slots.low = slots.high THEN CAST(slots.low AS VARCHAR)
    ELSE '[' || CAST(slots.low AS VARCHAR) || ', ' || CAST(slots.high AS VARCHAR) || ']'
  END AS value
FROM history_slots AS slots
CROSS JOIN (SELECT LIST(items.label ORDER BY items.item) AS labels FROM history_items AS items) AS names
