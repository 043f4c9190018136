-- How many rows, and how many persons where persons are told apart, are still to be released? One row.
SELECT COALESCE(SUM(remaining.n), 0) AS n, COUNT(DISTINCT remaining.person) AS persons FROM local_remaining AS remaining
