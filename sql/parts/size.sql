-- The combinations of a part and the rows that have them. One row.
SELECT COUNT(*) AS combinations, COALESCE(SUM(part_combinations.n), 0) AS n FROM part_combinations
