-- How many combinations of persons with several are in the frequency set, and how many of those are of persons with too
-- many to be compared two by two? One row.
SELECT
  COUNT(combinations.person) AS several,
  COUNT(combinations.person) - COUNT(CASE WHEN combinations.person IS NOT NULL THEN combinations.place END) AS many
FROM combinations
