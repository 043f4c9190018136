-- By a map: which row of the original each row of the release was made of. One row is one of both.
SELECT copies.record, mapped.line
FROM mapped
JOIN copies
  ON mapped.customer = copies.customer
  AND mapped.item = copies.item
  AND mapped.copy = copies.copy
  AND mapped.u1 = copies.u1
