-- The values of a hierarchy that the column can hold, as texts, with their classes. One row is one value.
SELECT keys.cell, CAST(keys.key AS VARCHAR) AS label, keys.level
FROM keys
ORDER BY keys.cell
