-- Certificates counted again.

-- name: values
-- The values that occur together in the columns that a certificate speaks of, as the source groups them. One row is one
-- combination (of one person, where persons are counted), with the rows that have it.
SELECT dataset.code AS code, dataset.kept AS kept, COUNT(*) AS n FROM dataset GROUP BY dataset.code, dataset.kept;

-- name: labelled
-- The combinations of values with their classes at every level of every hierarchy. One row is one combination.
SELECT keys.level AS level, valued.kept AS kept, valued.n AS n
FROM valued
LEFT JOIN keys ON valued.code IS NOT DISTINCT FROM keys.key;

-- name: sizes_of_classes
-- The classes of one node by size and by whether a model fails there. One row is one such pair, with the number of classes.
SELECT sized.size AS size, sized.fails AS fails, COUNT(*) AS classes FROM sized GROUP BY sized.size, sized.fails;

-- name: level_rows
-- The rows of each class of one column at one level. One row is one class.
SELECT certified.level AS class, SUM(certified.n) AS n FROM certified GROUP BY certified.level;

-- name: repeats
-- The original values of a column by how many rows have them. One row is one number of rows.
SELECT counted.n AS n, COUNT(*) AS different FROM (SELECT COUNT(*) AS n FROM dataset GROUP BY dataset.qi) AS counted GROUP BY counted.n;

-- name: parts
-- The combinations of one node, each with the number of its class. One row is one combination.
SELECT DENSE_RANK() OVER (ORDER BY certified.level) AS class, certified.level AS level, certified.kept AS kept, certified.n AS n
FROM certified;

-- name: sized_classes
-- The classes of one node: rows, or persons where these are counted, and whether one of the models fails there. One row is
-- one class.
SELECT counted.class AS class, counted.size AS size, failing.class IS NOT NULL AS fails
FROM (SELECT part.class AS class, SUM(part.n) AS size FROM part GROUP BY part.class) AS counted
LEFT JOIN failing ON failing.class = counted.class;

-- name: class_values
-- The rows (or persons) of each class with each value of a sensitive attribute. One row is one value in one class.
SELECT part.class AS class, part.value AS value, SUM(part.n) AS n FROM part GROUP BY part.class, part.value;

-- name: persons
-- The persons with a row in a class below k, and those with one in a class that is below k or fails a model. One row.
-- $k = 3
SELECT
  COUNT(DISTINCT CASE WHEN sized.size < $k THEN part.person END) AS below,
  COUNT(DISTINCT CASE WHEN sized.size < $k OR sized.fails THEN part.person END) AS suppressed
FROM part
JOIN sized ON sized.class = part.class;

-- name: suppressed
-- The rows of one column that are in suppressed classes, by their class in that column. One row is one class of the column:
-- its rows in classes below k, and its rows in classes that are below k or fail a model.
-- $k = 3
SELECT
  part.level AS class,
  SUM(CASE WHEN sized.size < $k THEN part.n ELSE 0 END) AS below,
  SUM(part.n) AS suppressed
FROM part
JOIN sized ON sized.class = part.class
WHERE sized.size < $k OR sized.fails
GROUP BY part.level;

-- name: class_sizes
-- The sizes of the classes of one node: the plain count that a certificate is checked by. One row is one size, with the
-- number of classes that have it.
SELECT class.size AS size, COUNT(*) AS classes
FROM (SELECT SUM(certified.n) AS size FROM certified GROUP BY certified.level) AS class
GROUP BY class.size;
