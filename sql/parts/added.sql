-- The combinations of two sets of parts, their rows added up by a join: half of the work of groups, where most
-- combinations are in both. One row is one combination. Negative counts take off, and what is left without rows is out.
SELECT
  COALESCE(part_combinations.qi, part_counts_added.qi) AS qi,
  COALESCE(part_combinations.n, 0) + COALESCE(part_counts_added.n, 0) AS n
FROM part_combinations
FULL JOIN part_counts_added ON part_combinations.qi IS NOT DISTINCT FROM part_counts_added.qi
WHERE COALESCE(part_combinations.n, 0) + COALESCE(part_counts_added.n, 0) <> 0
