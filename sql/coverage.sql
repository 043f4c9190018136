-- Coverage and marginals.

-- name: marginal_counts
-- The rows of each value of one attribute, and whether the value is NULL. One row is one value.
SELECT marginal.n, marginal.key IS NULL AS is_null FROM marginal;

-- name: never_used
-- The number of the hierarchy's values that the column holds. One row.
SELECT COUNT(*) AS used
FROM keys
WHERE EXISTS (SELECT 1 FROM marginal WHERE marginal.key IS NOT DISTINCT FROM keys.key);

-- name: missing_values
-- The values of a column that its hierarchy does not cover. One row is one value. Shown to the provider only on
-- request.
SELECT CAST(marginal.key AS VARCHAR) AS key, marginal.n
FROM marginal
WHERE NOT EXISTS (SELECT 1 FROM keys WHERE keys.key IS NOT DISTINCT FROM marginal.key)
ORDER BY marginal.n DESC, marginal.key
LIMIT 20;

-- name: value_labels
-- The text of each value of an attribute: its label at level 0. One row is one value.
SELECT keys.cell, 0 AS level, CAST(keys.key AS VARCHAR) AS label FROM keys;

-- name: top_labels
-- The label of each cell of one attribute at the top. One row is one cell.
SELECT DISTINCT keys.cell, 2 AS level, '*' AS label FROM keys;

-- name: coinciding_labels
-- The finest and the coarsest level of a label that names different cells at two levels, of one attribute: no row where
-- each label names one set of cells.
SELECT MIN(sized.level) AS finest, MAX(sized.level) AS coarsest
FROM (
  SELECT label_cells.label, label_cells.level, COUNT(DISTINCT label_cells.cell) AS cells
  FROM label_cells
  GROUP BY label_cells.label, label_cells.level
) AS sized
JOIN (
  SELECT label_cells.label, COUNT(DISTINCT label_cells.cell) AS cells
  FROM label_cells
  GROUP BY label_cells.label
) AS everywhere ON sized.label = everywhere.label
GROUP BY sized.label
HAVING MIN(sized.cells) < MAX(everywhere.cells)
ORDER BY finest, coarsest
LIMIT 1;

-- name: attribute_figures
-- The fit of a hierarchy to a column, and the size of the column. One row: values (and their rows) that the hierarchy
-- does not cover, values it lists more than once, and of the column the rows, values and the sum of n ln n.
SELECT
  uncovered.missing_values,
  uncovered.missing_rows,
  twice.repeated,
  sums.n,
  sums.leaves,
  sums.n_log_n
FROM (
  SELECT COUNT(*) AS missing_values, COALESCE(SUM(marginal.n), 0) AS missing_rows
  FROM marginal
  WHERE NOT EXISTS (SELECT 1 FROM keys WHERE keys.key IS NOT DISTINCT FROM marginal.key)
) AS uncovered
CROSS JOIN (
  SELECT COUNT(*) AS repeated
  FROM (SELECT keys.key FROM keys GROUP BY keys.key HAVING COUNT(*) > 1) AS listed
) AS twice
CROSS JOIN (
  SELECT
    COALESCE(SUM(marginal.n), 0) AS n,
    COALESCE(SUM(marginal.leaves), 0) AS leaves,
    COALESCE(SUM(marginal.n_log_n), 0) AS n_log_n
  FROM marginal
) AS sums;

-- name: rows_but_for_blanks
-- The rows of a column of texts whose value a hierarchy lists only without the blanks around it, or lists with others.
-- One row: their number.
SELECT COALESCE(SUM(marginal.n), 0) AS n
FROM marginal
WHERE NOT EXISTS (SELECT 1 FROM keys WHERE keys.key IS NOT DISTINCT FROM marginal.key)
  AND EXISTS (
    SELECT 1
    FROM keys
    WHERE TRIM(CAST(keys.key AS VARCHAR), ' 	　') = TRIM(CAST(marginal.key AS VARCHAR), ' 	　')
  );

-- name: rows_of_other_keys
-- The rows of a column whose value the hierarchy of another column lists. One row: their number.
SELECT COALESCE(SUM(marginal.n), 0) AS n
FROM marginal
WHERE EXISTS (SELECT 1 FROM keys WHERE keys.key = marginal.key);

-- name: repeated_keys
-- The number of values that one attribute's keys list more than once. One row is one attribute. The statements of all
-- attributes are joined by UNION ALL, each row marked with its attribute.
SELECT 0 AS number, COUNT(*) AS repeated
FROM (SELECT keys.key FROM keys GROUP BY keys.key HAVING COUNT(*) > 1) AS listed;

-- name: placed_values
-- The values of one attribute (or a rule's codes of them) with the cell that its keys place each in, none where they do
-- not cover it. One row is one value. The statements of all attributes are joined by UNION ALL, each row marked with its
-- attribute.
SELECT 0 AS number, marginal.n, marginal.leaves, marginal.n_log_n, marginal.key IS NULL AS is_null, keys.cell
FROM marginal
LEFT JOIN keys ON marginal.key IS NOT DISTINCT FROM keys.key;

-- name: marginal_sizes
-- The histogram of the frequencies of one attribute's values. One row is a number of rows: the number of values that
-- have that many.
SELECT marginal.n AS size, COUNT(*) AS classes
FROM marginal
GROUP BY marginal.n
ORDER BY marginal.n;

-- name: level_classes
-- The rows and values of each class of one attribute at one level. One row is one class. The statements of all levels
-- are joined by UNION ALL, each row marked with its level.
SELECT 0 AS level, keys.level AS class, SUM(marginal.n) AS n, SUM(marginal.leaves) AS leaves
FROM marginal
JOIN keys ON marginal.key IS NOT DISTINCT FROM keys.key
GROUP BY keys.level;

-- name: marginal_codes
-- The frequency of each code of a rule, and the number of its values. One row is one code. n_log_n is the sum of n ln n
-- over its values, which the entropy of the original values needs: in decimals, whose sum is the same in any order. The
-- source runs the subquery `counted`, the workspace the rest.
SELECT
  coded.code AS key,
  coded.code AS code,
  COUNT(*) AS leaves,
  SUM(coded.n) AS n,
  SUM(CAST(coded.n * LN(coded.n) AS DECIMAL(38, 9))) AS n_log_n
FROM (
  SELECT counted.code AS code, counted.n
  FROM (
    SELECT dataset.qi AS key, dataset.code AS code, COUNT(*) AS n
    FROM dataset
    GROUP BY dataset.qi, dataset.code
  ) AS counted
) AS coded
GROUP BY coded.code;

-- name: marginal_values
-- The frequency of each value of a quasi-identifier. One row is one value, with the code that its hierarchy needs. The
-- source runs the subquery `counted`, the workspace the rest.
SELECT
  counted.key,
  counted.code AS code,
  1 AS leaves,
  counted.n,
  CAST(counted.n * LN(counted.n) AS DECIMAL(38, 9)) AS n_log_n
FROM (
  SELECT dataset.qi AS key, dataset.code AS code, COUNT(*) AS n
  FROM dataset
  GROUP BY dataset.qi, dataset.code
) AS counted;

-- name: leaf_keys
-- The values that a hierarchy lists, as the column's type reads them. One row is one value: its cell and the class of
-- that cell at each level. Values that the column cannot hold as they are written
-- (a text, 1.4 among whole numbers) are left out: they never occur.
-- $leaves = ['east', 'west', NULL]
-- $cells = [0, 1, 2]
-- $level = [0, 1, 2]
SELECT TRY_CAST(leaf.key AS VARCHAR) AS key, leaf.cell, leaf.level
FROM (SELECT UNNEST($leaves) AS key, UNNEST($cells) AS cell, UNNEST($level) AS level) AS leaf
WHERE
  leaf.key IS NULL
  OR (
    TRY_CAST(leaf.key AS VARCHAR) IS NOT NULL
    AND COALESCE(TRY_CAST(leaf.key AS DOUBLE) = TRY_CAST(CAST(TRY_CAST(leaf.key AS VARCHAR) AS TEXT) AS DOUBLE), TRUE)
  );

-- name: coded_keys
-- Every value that occurs, with its cell (the values in order, NULL last) and the class of that cell at each level: the
-- least cell of the class. One row is one value. For rules whose levels a request takes from level 0 up.
SELECT
  numbered.key,
  numbered.cell,
  MIN(numbered.cell) OVER (PARTITION BY code_classes.class) AS level
FROM (
  SELECT marginal.key, marginal.code, ROW_NUMBER() OVER (ORDER BY marginal.key NULLS LAST) - 1 AS cell
  FROM marginal
) AS numbered
JOIN code_classes ON numbered.code IS NOT DISTINCT FROM code_classes.code;

-- name: value_keys
-- Every value that occurs, with the cell and the class at each level of the code that a rule gives it. One row is one value.
-- For rules that the source does not evaluate, so that its rows are joined on values.
SELECT marginal.key, code_classes.cell, code_classes.class AS level
FROM marginal
JOIN code_classes ON marginal.code IS NOT DISTINCT FROM code_classes.code;

-- name: codes
-- The codes of a rule that occur. One row is one code.
SELECT DISTINCT marginal.code FROM marginal;

-- name: labels
-- The label of each value of a quasi-identifier at the chosen level. One row is one value.
-- $classes = [0, 1, 2]
-- $labels = ['E', 'W', NULL]
SELECT keys.key, shown.label
FROM keys
JOIN (SELECT UNNEST($classes) AS class, CAST(UNNEST($labels) AS VARCHAR) AS label) AS shown ON keys.level = shown.class;

-- name: texts_or_star
-- The text of each value of a quasi-identifier that is released as it is, `*` of a missing one. One row is one value.
SELECT keys.key, COALESCE(CAST(keys.key AS VARCHAR), '*') AS label FROM keys;

-- name: missing_rows
-- The cell of the missing values of one attribute, and their rows. One row; none where no row misses a value.
SELECT keys.cell, marginal.n
FROM marginal
JOIN keys ON keys.key IS NULL
WHERE marginal.key IS NULL;

-- name: values_written_star
-- The number of values of one attribute that are written as missing ones would be released. One row.
SELECT COUNT(*) AS written FROM marginal WHERE CAST(marginal.key AS VARCHAR) = '*';
