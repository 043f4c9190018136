-- The combinations of several parts, their rows added up. One row is one combination. A part that is taken off has
-- negative counts, so that a combination which it alone had is left out.
SELECT part_combinations.qi AS qi, CAST(SUM(part_combinations.n) AS BIGINT) AS n
FROM part_combinations
GROUP BY part_combinations.qi
HAVING SUM(part_combinations.n) <> 0
