-- A table measured as it is.

-- name: label_classes
-- The rows of each combination of values in these columns, as texts. The source counts its values as they are stored; the
-- workspace writes them as texts. One row is one combination.
SELECT texts.label_1, SUM(texts.n) AS n
FROM (
  SELECT CAST(counted.value_1 AS VARCHAR) AS label_1, counted.n
  FROM (SELECT dataset.qi AS value_1, COUNT(*) AS n FROM dataset GROUP BY dataset.qi) AS counted
) AS texts
GROUP BY texts.label_1;

-- name: values
-- The rows of each value of a column of a table that is measured as it is. One row is one value.
SELECT dataset.qi AS value, COUNT(*) AS n FROM dataset GROUP BY dataset.qi;

-- name: numbered
-- The values of a column as numbers: 0 up in their order, NULL last. One row is one value, with its rows.
SELECT
  counted.value AS key,
  ROW_NUMBER() OVER (ORDER BY counted.value NULLS LAST) - 1 AS cell,
  counted.n
FROM counted;

-- name: column_facts
-- The counts of a column. One row: the number of different values (NULL is one), the rows in all, and the rows of NULL.
SELECT
  COUNT(*) AS different,
  COALESCE(SUM(counted.n), 0) AS row_count,
  COALESCE(SUM(CASE WHEN counted.value IS NULL THEN counted.n ELSE 0 END), 0) AS null_rows
FROM counted;

-- name: counted
-- The rows of each class with each value. One row is one class with one value of each sensitive column, of one person
-- where persons are counted. The class is a number that the numbers of its values are packed into: one integer is
-- grouped in half the time that many columns are.
SELECT coded.class, coded.value, COUNT(*) AS n
FROM (
  SELECT keys.cell AS class, keys.cell AS value
  FROM dataset
  JOIN keys ON dataset.qi IS NOT DISTINCT FROM keys.key
) AS coded
GROUP BY coded.class, coded.value;

-- name: renumbered
-- The same where one integer cannot hold a class: its parts numbered together. One row is as in `measure/counted`.
SELECT DENSE_RANK() OVER (ORDER BY counted.value) AS class, counted.value, counted.n
FROM counted;

-- name: rows
-- The number of counted rows. One row.
SELECT COALESCE(SUM(numbered.n), 0) AS row_count FROM numbered;

-- name: persons_of_classes
-- The persons of each class. One row is one class. A person who is in several classes counts in each.
SELECT one.class, COUNT(*) AS size
FROM (SELECT DISTINCT numbered.class, numbered.person FROM numbered) AS one
GROUP BY one.class;

-- name: rows_of_classes
-- The rows of each class. One row is one class.
SELECT numbered.class, CAST(SUM(numbered.n) AS BIGINT) AS size FROM numbered GROUP BY numbered.class;

-- name: class_sizes
-- The histogram of class sizes: one row is one size, with the number of classes that have it.
SELECT class_size.size, COUNT(*) AS classes FROM class_size GROUP BY class_size.size;

-- name: least_sizes
-- The histogram of the smallest class of each person. One row is one size, with the number of such persons.
SELECT least.size, COUNT(*) AS persons
FROM (
  SELECT numbered.person, MIN(class_size.size) AS size
  FROM numbered
  JOIN class_size ON class_size.class = numbered.class
  GROUP BY numbered.person
) AS least
GROUP BY least.size;

-- name: likeness
-- The distance of the classes from the whole table, value by value. One row: beta, the most that a share in a class
-- exceeds the share in the whole table, as a part of the latter; delta, the greatest |ln(share in a class / share in
-- the table)| of the values that a class has; and the number of values whose excess is more than -ln(share in the
-- table), for which no enhanced beta will do (0.000000001: more than the rounding of the logarithms).
SELECT
  MAX(CASE WHEN likeness.most > likeness.share THEN (likeness.most - likeness.share) / likeness.share ELSE 0.0 END) AS beta,
  MAX(CASE WHEN LN(likeness.most / likeness.share) > LN(likeness.share / likeness.least)
    THEN LN(likeness.most / likeness.share) ELSE LN(likeness.share / likeness.least) END) AS delta,
  COALESCE(SUM(CASE WHEN (likeness.most - likeness.share) / likeness.share > -LN(likeness.share) + 0.000000001
    THEN 1 ELSE 0 END), 0) AS beyond_enhanced
FROM (
  SELECT
    CAST(MAX(table_value.n) AS DOUBLE) / CAST(MAX(everything.n) AS DOUBLE) AS share,
    MAX(CAST(class_value.n AS DOUBLE) / CAST(class.size AS DOUBLE)) AS most,
    MIN(CAST(class_value.n AS DOUBLE) / CAST(class.size AS DOUBLE)) AS least
  FROM class_value
  JOIN (
    SELECT class_value.class, SUM(class_value.n) AS size FROM class_value GROUP BY class_value.class
  ) AS class ON class.class = class_value.class
  JOIN table_value ON table_value.value = class_value.value
  CROSS JOIN (SELECT SUM(table_value.n) AS n FROM table_value) AS everything
  GROUP BY class_value.value
) AS likeness;

-- name: persons_of_values
-- The persons of each class with each value of one sensitive column. One row is one value in one class. A person who
-- has several values counts for each.
SELECT one.class, one.value, COUNT(*) AS n
FROM (SELECT DISTINCT numbered.class, numbered.value, numbered.person FROM numbered) AS one
GROUP BY one.class, one.value;

-- name: rows_of_values
-- The rows of each class with each value of one sensitive column. One row is one value in one class.
SELECT numbered.class, numbered.value, CAST(SUM(numbered.n) AS BIGINT) AS n FROM numbered GROUP BY numbered.class, numbered.value;

-- name: table_persons
-- The persons of the whole table with each value of one sensitive column. One row is one value, by its number.
SELECT one.value, COUNT(*) AS n
FROM (SELECT DISTINCT numbered.value, numbered.person FROM numbered) AS one
GROUP BY one.value;

-- name: unlike_classes
-- The classes without redundant ones: of the classes that have one value only, whose shares are all alike, one for each
-- value. One row is one value in one class.
SELECT class_value.class, class_value.value, class_value.n
FROM class_value
JOIN figures ON figures.class = class_value.class
WHERE figures.figure > 1
UNION ALL
SELECT MIN(class_value.class) AS class, class_value.value, MIN(class_value.n) AS n
FROM class_value
JOIN figures ON figures.class = class_value.class
WHERE figures.figure = 1
GROUP BY class_value.value;

-- name: recursive_c
-- The bound that the c of recursive (c, l)-diversity must exceed, for every l at once. One row is one l from 2 to
-- $most, with the greatest of (the commonest value / the l-th commonest and all rarer ones together) over all classes.
-- $most = 2
SELECT
  placed.place AS l,
  MAX(CAST(placed.commonest AS DOUBLE) / CAST(placed.others AS DOUBLE)) AS c
FROM (
  SELECT
    ROW_NUMBER() OVER (PARTITION BY class_value.class ORDER BY class_value.n DESC, class_value.value) AS place,
    MAX(class_value.n) OVER (PARTITION BY class_value.class) AS commonest,
    SUM(class_value.n) OVER (
      PARTITION BY class_value.class
      ORDER BY class_value.n DESC, class_value.value ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING
    ) AS others
  FROM class_value
) AS placed
WHERE placed.place BETWEEN 2 AND $most
GROUP BY placed.place
ORDER BY placed.place;
