-- The release of groups, decided: nothing is suppressed. One row is one group of n rows of the dataset, which share
-- these values.
SELECT
  part.label,
  keys.key AS value,
  CAST(part.measured AS DOUBLE) AS measured,
  part.n,
  FALSE AS suppressed
FROM microdata_groups AS part
JOIN keys ON part.cell = keys.cell
