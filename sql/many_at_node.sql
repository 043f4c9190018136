-- The same of persons with too many combinations to compare them two by two: they are counted one by one. One row is one
-- class: how many combinations more than persons, taken off.
SELECT part.n, part.word AS qi
FROM (
  SELECT COUNT(DISTINCT worded.person) - COUNT(*) AS n, worded.word & 7 AS word
  FROM worded
  WHERE worded.combinations > 16
  GROUP BY worded.word & 7
) AS part
