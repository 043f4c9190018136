-- Every value that occurs, with the cell and the class at each level of the code that a rule gives it. One row is one value.
-- For rules that the source does not evaluate, so that its rows are joined on values.
SELECT marginal.key, code_classes.cell, code_classes.class AS level
FROM marginal
JOIN code_classes ON marginal.code IS NOT DISTINCT FROM code_classes.code
