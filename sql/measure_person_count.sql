-- The number of rows of a release, and of its persons by their pseudonyms. One row.
SELECT COUNT(*) AS n, COUNT(DISTINCT released.person) AS persons FROM released
