-- How many rows, and how many persons by their pseudonyms, does a release have? One row.
SELECT COUNT(*) AS n, COUNT(DISTINCT released.person) AS persons FROM released
