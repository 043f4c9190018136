-- The values of a column with their labels at a level, in place of themselves. One row is one value that has one.
SELECT shown.label AS key, valued.cell, valued.n
FROM sensitive AS valued
JOIN labels AS shown ON CAST(valued.key AS VARCHAR) IS NOT DISTINCT FROM CAST(shown.key AS VARCHAR)
