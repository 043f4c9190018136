-- The combinations of a part or of several, as they were counted. One row is one combination.
SELECT part_combinations.qi AS qi, part_combinations.n AS n FROM part_combinations
