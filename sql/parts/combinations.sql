-- The combinations of a part or of several, as they were counted. One row is one combination.
SELECT dataset.qi AS qi, dataset.n AS n FROM dataset
