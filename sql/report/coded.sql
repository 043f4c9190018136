-- The combinations of a release with the numbers of their values. One row is one combination (of one person).
SELECT keys.cell, released.person, released.n
FROM released
JOIN keys ON released.value IS NOT DISTINCT FROM keys.key
