-- A dataset with its row filter: a dataset of its own. One row is one row of the table or query that passes the filter.
SELECT * FROM dataset WHERE dataset.condition
