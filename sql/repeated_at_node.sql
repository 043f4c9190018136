-- What has each class of a node too many, where persons are counted by adding up their combinations? One row is one class:
-- the combinations, taken off, of persons who are in it already. To be joined to the frequency set by UNION ALL.
SELECT part.n, part.word AS qi
FROM (
  SELECT -COUNT(*) AS n, repeated.word & 7 AS word
  FROM repeated
  WHERE repeated.repeated <> 0
  GROUP BY repeated.word & 7
) AS part
