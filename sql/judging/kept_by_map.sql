-- The pairs of an original's row and the release's row made of it, by a map. One row is one pair.
SELECT copies.record, mapped.line
FROM mapped
JOIN copies
  ON mapped.customer = copies.customer
  AND mapped.item = copies.item
  AND mapped.copy = copies.copy
  AND mapped.u1 = copies.u1
