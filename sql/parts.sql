-- Parts of a dataset.

-- name: counted
-- The combinations of values in one part of a dataset, as they are, each with its rows: the one statement that reads the
-- part. One row is one combination. Counts of parts add up.
SELECT dataset.qi AS qi, COUNT(*) AS n
FROM dataset
GROUP BY dataset.qi;

-- name: combinations
-- The combinations of a part or of several, as they were counted. One row is one combination.
SELECT part_combinations.qi AS qi, part_combinations.n AS n FROM part_combinations;

-- name: taken_off
-- The combinations of a part that is no longer one of the dataset: each with its rows, to be taken off. One row is one
-- combination.
SELECT part_combinations.qi AS qi, -part_combinations.n AS n FROM part_combinations;

-- name: merged
-- The combinations of several parts, their rows added up. One row is one combination. A part that is taken off has
-- negative counts, so that a combination which it alone had is left out.
SELECT part_combinations.qi AS qi, CAST(SUM(part_combinations.n) AS BIGINT) AS n
FROM part_combinations
GROUP BY part_combinations.qi
HAVING SUM(part_combinations.n) <> 0;

-- name: added
-- The combinations of two sets of parts, their rows added up by a join: half of the work of groups, where most
-- combinations are in both. One row is one combination. Negative counts take off, and what is left without rows is out.
SELECT
  COALESCE(part_combinations.qi, part_counts_added.qi) AS qi,
  COALESCE(part_combinations.n, 0) + COALESCE(part_counts_added.n, 0) AS n
FROM part_combinations
FULL JOIN part_counts_added ON part_combinations.qi IS NOT DISTINCT FROM part_counts_added.qi
WHERE COALESCE(part_combinations.n, 0) + COALESCE(part_counts_added.n, 0) <> 0;

-- name: renamed
-- Puts the combinations that were merged last in the place of those before.
ALTER TABLE part_counts_added RENAME TO part_counts;

-- name: size
-- The combinations of a part and the rows that have them. One row.
SELECT COUNT(*) AS combinations, COALESCE(SUM(part_combinations.n), 0) AS n FROM part_combinations;

-- name: kept
-- Keeps the combinations of a part, or of all, as a private file for later requests. One row is one combination.
COPY (SELECT part_combinations.qi FROM part_combinations) TO 'part.parquet' (FORMAT parquet, USE_TMP_FILE FALSE, WRITE_BLOOM_FILTER FALSE);
