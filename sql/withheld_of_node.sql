-- What is withheld of a node, over relations that are counted once. One row is one class of one attribute.
SELECT figures.node, figures.attribute, figures.class, figures.n
FROM (
  SELECT 0 AS node, 0 AS attribute, withheld_rows.qi AS class, SUM(withheld_rows.n) AS n
  FROM frequency_set AS withheld_rows
  GROUP BY withheld_rows.qi
) AS figures
