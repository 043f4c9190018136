-- Which earlier combinations of the same person share a class with this one, attribute by attribute and level by level?
-- One row is one combination, by its number; one bit is one earlier combination. Where the bits of all attributes of a
-- node have one in common, the person is in that class already: it is counted once without being looked for.
SELECT
  later.number,
  BIT_OR(CASE WHEN earlier.qi = later.qi THEN earlier.bit ELSE CAST(0 AS USMALLINT) END) AS repeated
FROM combinations AS later
JOIN combinations AS earlier ON earlier.owner = later.owner AND earlier.place < later.place
GROUP BY later.number
