-- Code lists: tables of codes that hierarchies come from.

-- name: rows
-- The rows of a code list, as texts: codes with their parents or their labels, and their validity. The source runs the
-- subquery `listed`, the workspace the rest. One row is one row of the table.
SELECT CAST(listed.value AS VARCHAR) AS text
FROM (SELECT dataset.qi AS value FROM dataset) AS listed;
