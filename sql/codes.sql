-- The codes of a rule that occur. One row is one code.
SELECT DISTINCT marginal.code FROM marginal
