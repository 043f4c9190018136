-- The rows (or persons) of the whole dataset with each value of a sensitive attribute, for the connection that measures
-- the written release: it is bound there, and written nowhere. One row is one value.
SELECT CAST(sensitive.key AS VARCHAR) AS text, sensitive.cell, sensitive.n FROM sensitive ORDER BY sensitive.cell
