-- The combinations of a part that is no longer one of the dataset: each with its rows, to be taken off. One row is one
-- combination.
SELECT dataset.qi AS qi, -dataset.n AS n FROM dataset
