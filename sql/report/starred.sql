-- The values of a column with `*` in place of themselves. One row is one value.
SELECT '*' AS key, valued.cell, valued.n FROM sensitive AS valued
