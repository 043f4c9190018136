-- How many rows, and how many persons where persons are told apart, does the dataset have, or what is left of it? One row.
SELECT COALESCE(SUM(counted.n), 0) AS n, COUNT(DISTINCT counted.person) AS persons FROM local_counted AS counted
