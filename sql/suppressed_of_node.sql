-- The suppressed rows of a node by the classes of each attribute, over relations that are counted once. One row is one
-- class of one attribute.
SELECT figures.node, figures.attribute, figures.class, figures.n
FROM (
  SELECT 0 AS node, 0 AS attribute, suppressed_rows.qi AS class, SUM(suppressed_rows.n) AS n
  FROM frequency_set AS suppressed_rows
  GROUP BY suppressed_rows.qi
) AS figures
