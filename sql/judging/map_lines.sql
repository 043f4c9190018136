-- The rows of a map, the different rows of the release that it names, and those of them that are there. One row: the
-- three counts.
SELECT COUNT(*) AS rows, COUNT(DISTINCT mapped.line) AS named, COUNT(DISTINCT released_records.line) AS there
FROM mapped
LEFT JOIN released_records ON mapped.line = released_records.line
