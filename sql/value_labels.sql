-- The text of each value of an attribute: its label at level 0. One row is one value.
SELECT keys.cell, 0 AS level, CAST(keys.key AS VARCHAR) AS label FROM keys
