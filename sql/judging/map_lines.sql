-- How many rows has a map, how many different rows of the release does it name, and how many of these are there? One row.
SELECT COUNT(*) AS rows, COUNT(DISTINCT mapped.line) AS named, COUNT(DISTINCT released_records.line) AS there
FROM mapped
LEFT JOIN released_records ON mapped.line = released_records.line
