-- The excess of combinations over persons in each class of a node, for persons with too many combinations to compare
-- them two by two: they are counted one by one. One row is one class: the excess, as a negative count.
SELECT part.n, part.word AS qi
FROM (
  SELECT COUNT(DISTINCT worded.person) - COUNT(*) AS n, worded.word & 7 AS word
  FROM worded
  WHERE worded.combinations > 16
  GROUP BY worded.word & 7
) AS part
