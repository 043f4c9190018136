-- The frequency set of the dataset: the number of rows with each combination of cells. One row is one combination. The
-- one heavy query of a request: it joins the hierarchies once, in the source; everything after it only adds its counts
-- up.
SELECT keys.cell AS qi, COUNT(*) AS n
FROM dataset
LEFT JOIN keys ON dataset.code IS NOT DISTINCT FROM keys.key
GROUP BY keys.cell
