-- Classes of a node.

-- name: no_class_fails
-- The classes that fail a model, where a request has no model. No row.
SELECT class_size.class FROM class_size WHERE FALSE;

-- name: rows_of_node
-- The rows of each class of a node with each sensitive value (of each person, where persons are counted). The source
-- itself runs it, without a stored frequency set. One row is one combination.
SELECT keys.level AS level, dataset.id AS person, COUNT(*) AS n
FROM dataset
LEFT JOIN keys ON dataset.code IS NOT DISTINCT FROM keys.key
GROUP BY keys.level, dataset.id;

-- name: class_sizes
-- The sizes of a node's classes. One row is one class: the sum of its counts (rows, or persons that are in one
-- combination), and its other persons, each counted once.
SELECT part.class, SUM(part.n) + COUNT(DISTINCT part.person) AS size
FROM (SELECT frequency_set.qi AS class, frequency_set.n, frequency_set.person FROM frequency_set) AS part
GROUP BY part.class;

-- name: class_values
-- The rows (or persons) of each class of a node with each value of a sensitive attribute. One row is one value in one
-- class.
SELECT part.class, part.value, SUM(part.n) + COUNT(DISTINCT part.person) AS n
FROM (
  SELECT frequency_set.qi AS class, frequency_set.cell AS value, frequency_set.n, frequency_set.person
  FROM frequency_set
) AS part
GROUP BY part.class, part.value;

-- name: class_sizes_of_values
-- The sizes of a node's classes, where their values are counted and rows add up. One row is one class.
SELECT class_value.class, SUM(class_value.n) AS size FROM class_value GROUP BY class_value.class;

-- name: k_check_failing
-- The k-check of a node with models of sensitive attributes: the histogram of its class sizes, of those that fail a
-- model (fails is 1) and of those that do not. One row is one class size of one of these two.
SELECT 0 AS node, 0 AS part, checked.size, checked.fails AS other, COUNT(*) AS n
FROM (
  SELECT class_size.size, CASE WHEN failing.class IS NULL THEN 0 ELSE 1 END AS fails
  FROM class_size
  LEFT JOIN failing ON failing.class = class_size.class
) AS checked
GROUP BY checked.size, checked.fails;

-- name: least_classes
-- The histogram of the size of each person's least class: `alone`, and `fitting`, where a class that fails a model
-- counts as of size 0. One row is one pair of sizes: the number of persons with it.
SELECT 0 AS node, 1 AS part, least.alone AS size, least.fitting AS other, SUM(least.persons) AS n
FROM (
  SELECT
    MIN(class_size.size) AS alone,
    MIN(CASE WHEN failing.class IS NULL THEN class_size.size ELSE 0 END) AS fitting,
    1 AS persons
  FROM owned
  JOIN class_size ON class_size.class = owned.class
  LEFT JOIN failing ON failing.class = owned.class
  WHERE owned.owner IS NOT NULL
  GROUP BY owned.owner
  UNION ALL
  SELECT
    class_size.size AS alone,
    CASE WHEN failing.class IS NULL THEN class_size.size ELSE 0 END AS fitting,
    owned.n AS persons
  FROM owned
  JOIN class_size ON class_size.class = owned.class
  LEFT JOIN failing ON failing.class = owned.class
  WHERE owned.owner IS NULL
) AS least
GROUP BY least.alone, least.fitting;

-- name: checked_node
-- All counts of a node, over relations that are counted once. One row is one size of a histogram: of classes (part 0:
-- size, whether they fail a model) or of the least classes of persons (part 1: size, size where failing counts as 0).
SELECT checked.node, checked.part, checked.size, checked.other, checked.n
FROM (
  SELECT 0 AS node, 0 AS part, class_size.size, 0 AS other, COUNT(*) AS n FROM class_size GROUP BY class_size.size
) AS checked;

-- name: values_of_failing
-- The values of a sensitive attribute in the classes that fail a model. One row is one value that occurs in one of them.
SELECT class_value.class, class_value.value, class_value.n
FROM class_value
JOIN failing ON failing.class = class_value.class;

-- name: suppressed_of_node
-- The suppressed rows of a node by the classes of each attribute, over relations that are counted once. One row is one
-- class of one attribute.
SELECT figures.node, figures.attribute, figures.class, figures.n
FROM (
  SELECT 0 AS node, 0 AS attribute, suppressed_rows.qi AS class, SUM(suppressed_rows.n) AS n
  FROM frequency_set AS suppressed_rows
  GROUP BY suppressed_rows.qi
) AS figures;

-- name: suppressed_figures
-- The suppressed rows of a node by the classes of each attribute. One row is one class of one attribute: the suppressed
-- rows in it. The statements of all attributes are joined by UNION ALL, each row marked with its node and attribute.
SELECT 0 AS node, 0 AS attribute, part.qi AS class, SUM(part.n) AS n
FROM frequency_set AS part
GROUP BY part.qi;

-- name: suppressed_classes
-- The suppressed classes of a node: those smaller than k, and those that fail a model. One row is one class.
SELECT class_size.class
FROM class_size
LEFT JOIN failing ON failing.class = class_size.class
WHERE class_size.size < 5 OR NOT failing.class IS NULL;

-- name: suppressed_rows
-- The rows of the suppressed classes of a node. One row is one combination: n rows have it.
SELECT part.n, part.qi
FROM frequency_set AS part
JOIN failing ON failing.class = part.qi;
