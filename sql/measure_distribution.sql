-- What the whole dataset has of each value of a sensitive attribute, for the connection that measures what was written:
-- it is bound there, and written nowhere. One row is one value.
SELECT CAST(sensitive.key AS VARCHAR) AS text, sensitive.cell, sensitive.n FROM sensitive ORDER BY sensitive.cell
