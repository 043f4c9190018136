-- How many rows does a relation have? One row.
SELECT COUNT(*) AS n FROM dataset
