-- The excess of each class of a node, where persons are counted by adding up their combinations. One row is one class:
-- the combinations of persons who are in it already, as a negative count. To be joined to the frequency set by UNION
-- ALL.
SELECT part.n, part.word AS qi
FROM (
  SELECT -COUNT(*) AS n, repeated.word & 7 AS word
  FROM repeated
  WHERE repeated.repeated <> 0
  GROUP BY repeated.word & 7
) AS part
