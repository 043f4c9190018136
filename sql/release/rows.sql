-- Rows of a release.

-- name: labels
-- One label of each quasi-identifier of a release as a text, the greatest: `*` and NULL only where there is no other.
-- One row.
SELECT CAST(MAX(released.value) AS VARCHAR) AS value FROM released;

-- name: escaped
-- A release with an apostrophe before each cell that a spreadsheet would run as a formula, and before each that begins
-- with apostrophes and then like a formula: so the original cell can be recovered from the written one. One row is one
-- row of the release.
SELECT
  CASE
    WHEN REGEXP_MATCHES(CAST(released.value AS VARCHAR), '^''*[=+\-@\t\r]')
      AND NOT REGEXP_MATCHES(CAST(released.value AS VARCHAR), '^[+\-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+\-]?[0-9]+)?$')
    THEN '''' || CAST(released.value AS VARCHAR)
    ELSE CAST(released.value AS VARCHAR)
  END AS value
FROM released;

-- name: unescaped
-- A release that was written with apostrophes before formulas, read without them. One row is one row of the release.
SELECT
  CASE
    WHEN REGEXP_MATCHES(released.value, '^''+[=+\-@\t\r]') THEN SUBSTRING(released.value, 2)
    ELSE released.value
  END AS value
FROM released;

-- name: formulas
-- The cells of a release that a spreadsheet would run as formulas: texts that begin with =, +, -, @, a tab or a
-- carriage return, and are no numbers. One row: a count for each column, NULL where no row begins so. `released` has
-- each combination of values once, and its rows as n.
SELECT
  SUM(released.n) FILTER (WHERE REGEXP_MATCHES(CAST(released.value AS VARCHAR), '^[=+\-@\t\r]')
    AND NOT REGEXP_MATCHES(CAST(released.value AS VARCHAR), '^[+\-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+\-]?[0-9]+)?$')) AS value
FROM released
WHERE REGEXP_MATCHES(CAST(released.value AS VARCHAR), '^[=+\-@\t\r]');

-- name: classes
-- The release, counted: one row is one combination of released values, n rows of the dataset have it.
SELECT labels.label AS value, dataset.kept AS kept, COUNT(*) AS n
FROM dataset
LEFT JOIN labels ON dataset.code IS NOT DISTINCT FROM labels.key
GROUP BY labels.label, dataset.kept;

-- name: classes_shown
-- The classes of a release as its readers see them, their labels as texts. One row is one class with its rows.
SELECT CAST(released.value AS VARCHAR) AS value, SUM(released.n) AS n
FROM released
GROUP BY CAST(released.value AS VARCHAR);

-- name: classes_shown_decided
-- The same where some classes are suppressed, which are left out. One row is one class with its rows.
SELECT CAST(decided.value AS VARCHAR) AS value, SUM(decided.n) AS n
FROM decided
WHERE NOT decided.suppressed
GROUP BY CAST(decided.value AS VARCHAR);

-- name: classes_suppressed
-- The suppressed classes of a release, their labels as texts: its readers do not see them. One row is one class with
-- its rows.
SELECT CAST(decided.value AS VARCHAR) AS value, SUM(decided.n) AS n
FROM decided
WHERE decided.suppressed
GROUP BY CAST(decided.value AS VARCHAR);

-- name: sorted
-- The release in the order of its own columns, which reveals nothing of the order of the source. One row is one
-- combination.
SELECT released.value, released.n FROM released ORDER BY released.value NULLS FIRST;

-- name: place_of_number
-- The place of a value of a statistical table that is a number or an interval of them: by the first number in it. One row
-- is one combination.
SELECT TRY_CAST(REGEXP_EXTRACT(CAST(released.value AS VARCHAR), '-?[0-9]+(\.[0-9]+)?') AS DOUBLE) AS place FROM released;

-- name: place_in_list
-- The place of a value of a statistical table in a list of labels in their own order. One row is one combination.
SELECT LIST_POSITION(['E', 'W'], released.value) AS place FROM released;

-- name: sorted_stars
-- The release as texts, in the order of its own columns, the suppressed rows at the end as * in every column. One row
-- is one combination.
SELECT CASE WHEN released.star THEN '*' ELSE CAST(released.value AS VARCHAR) END AS value, released.n
FROM released
ORDER BY released.star, released.value NULLS FIRST;

-- name: rows
-- The release written out: every combination of released values as often as the dataset has it. One row is one person.
SELECT released.value FROM (SELECT released.value, UNNEST(RANGE(released.n)) AS repetition FROM released) AS released;

-- name: table
-- The statistical table: one row is one class, with its count.
SELECT released.value, released.n AS "count" FROM released;

-- name: smallest
-- The persons of a release by the smallest class that each has a row in, before it is written. One row is one size, in
-- persons.
SELECT smallest.size, COUNT(*) AS persons
FROM (
  SELECT sized.person, MIN(sized.size) AS size
  FROM (
    SELECT class.person, COUNT(*) OVER (PARTITION BY class.value) AS size
    FROM (
      SELECT decided.person, decided.value
      FROM decided
      WHERE NOT decided.suppressed
      GROUP BY decided.person, decided.value
    ) AS class
  ) AS sized
  GROUP BY sized.person
) AS smallest
GROUP BY smallest.size;

-- name: and_suppressed
-- The released and the suppressed rows and persons. One row is one of the two: the number of its rows and of its
-- persons.
SELECT decided.suppressed, SUM(decided.n) AS n, COUNT(DISTINCT decided.person) AS persons
FROM decided
GROUP BY decided.suppressed;

-- name: shown
-- The release as a reader sees it: persons by their pseudonyms. One row is one combination of released values, with its
-- rows (or persons).
SELECT
  decided.value,
  pseudonym.number,
  CAST(SUM(decided.n) AS BIGINT) AS n,
  COUNT(DISTINCT decided.person) AS persons
FROM decided
JOIN pseudonyms AS pseudonym ON decided.person = pseudonym.person
WHERE NOT decided.suppressed
GROUP BY decided.value, pseudonym.number;

-- name: starred
-- The release as a reader sees it, and the suppressed rows as one combination more. One row is one combination.
SELECT shown.value, shown.n, FALSE AS star FROM shown
UNION ALL
SELECT NULL AS value, 5 AS n, TRUE AS star;

-- name: histogram
-- The histogram of the class sizes of a decided release, before it is written. One row is one class size, with the
-- number of such classes.
SELECT class.size, COUNT(*) AS classes
FROM (
  SELECT SUM(decided.n) AS size, COUNT(DISTINCT decided.person) AS persons
  FROM decided
  WHERE NOT decided.suppressed
  GROUP BY decided.value
) AS class
GROUP BY class.size;

-- name: pseudonyms
-- A random number, or text of letters, for every person of whom a row is released. One row is one person.
-- $numbers = [7, 2, 9, 4, 1, 10, 3, 8, 6, 5]
SELECT listed.person, drawn.number
FROM (
  SELECT one.person, ROW_NUMBER() OVER () AS place
  FROM (SELECT DISTINCT decided.person FROM decided WHERE NOT decided.suppressed) AS one
) AS listed
JOIN (
  SELECT UNNEST($numbers) AS number, GENERATE_SUBSCRIPTS($numbers, 1) AS place
) AS drawn ON listed.place = drawn.place;

-- name: linkable
-- The number of persons with released rows in several classes, so that a pseudonym links these classes. One row.
SELECT COUNT(*) AS persons
FROM (
  SELECT class.person
  FROM (
    SELECT decided.person, decided.value
    FROM decided
    WHERE NOT decided.suppressed
    GROUP BY decided.person, decided.value
  ) AS class
  GROUP BY class.person
  HAVING COUNT(*) > 1
) AS linkable;

-- name: suppressed
-- The number of released combinations with * in every quasi-identifier, which star rows could be mixed up with. One
-- row.
SELECT COUNT(*) AS combinations FROM decided WHERE NOT decided.suppressed AND CAST(decided.value AS VARCHAR) = '*';
