-- The combinations of persons with several, packed. One row is one combination of one `person`, who has so many
-- `combinations`; its cells' classes at every level are side by side in the bits of a number (of several, where one is too
-- short).
SELECT frequency_set.person, several.combinations, keys.cell AS word
FROM frequency_set
JOIN (
  SELECT frequency_set.person, COUNT(*) AS combinations
  FROM frequency_set
  GROUP BY frequency_set.person
  HAVING COUNT(*) > 1
) AS several ON several.person = frequency_set.person
JOIN keys ON frequency_set.qi = keys.cell
