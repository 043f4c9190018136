-- The names that datasets have or had, to complete them. One row: a name.
SELECT DISTINCT d.name, '' AS note
FROM datasets AS d
ORDER BY d.name
