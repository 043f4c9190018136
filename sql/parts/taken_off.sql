-- The combinations of a part that is no longer one of the dataset: each with its rows, to be taken off. One row is one
-- combination.
SELECT part_combinations.qi AS qi, -part_combinations.n AS n FROM part_combinations
