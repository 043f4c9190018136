-- The values that a hierarchy lists, as the column's type reads them. One row is one value: its cell and the class of
-- that cell at each level. Values that the column cannot hold as they are written
-- (a text, 1.4 among whole numbers) are left out: they never occur.
-- $leaves = ['east', 'west', NULL]
-- $cells = [0, 1, 2]
-- $level = [0, 1, 2]
SELECT TRY_CAST(leaf.key AS VARCHAR) AS key, leaf.cell, leaf.level
FROM (SELECT UNNEST($leaves) AS key, UNNEST($cells) AS cell, UNNEST($level) AS level) AS leaf
WHERE
  leaf.key IS NULL
  OR (
    TRY_CAST(leaf.key AS VARCHAR) IS NOT NULL
    AND COALESCE(TRY_CAST(leaf.key AS DOUBLE) = TRY_CAST(CAST(TRY_CAST(leaf.key AS VARCHAR) AS TEXT) AS DOUBLE), TRUE)
  )
