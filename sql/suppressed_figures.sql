-- The suppressed rows of a node by the classes of each attribute. One row is one class of one attribute: the suppressed
-- rows in it. The statements of all attributes are joined by UNION ALL, each row marked with its node and attribute.
SELECT 0 AS node, 0 AS attribute, part.qi AS class, SUM(part.n) AS n
FROM frequency_set AS part
GROUP BY part.qi
