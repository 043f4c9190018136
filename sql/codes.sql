-- Which codes of a rule occur? One row is one code.
SELECT DISTINCT marginal.code FROM marginal
