-- A release measured again.

-- name: ancestors
-- The class of each value of a sensitive attribute at each level of a hierarchy, for the connection that measures the
-- written release. One row is one value at one level.
SELECT value_level.value, value_level.level, value_level.ancestor FROM value_level;

-- name: histories
-- The k of a release of histories, a class of which is the persons whose rows are the same, each as often. One row is
-- one class size, in persons by their pseudonyms.
SELECT class.size, COUNT(*) AS classes
FROM (
  SELECT COUNT(*) AS size
  FROM (
    SELECT purchase.person, LIST_SORT(LIST(purchase.content)) AS contents
    FROM (
      SELECT
        released.person AS person,
        MD5_NUMBER(CONCAT_WS(CHR(31), COALESCE(CAST(released.value AS VARCHAR), CHR(30)))) AS content
      FROM released
    ) AS purchase
    GROUP BY purchase.person
  ) AS history
  GROUP BY history.contents
) AS class
GROUP BY class.size;

-- name: distribution
-- The rows (or persons) of the whole dataset with each value of a sensitive attribute, for the connection that measures
-- the written release: it is bound there, and written nowhere. One row is one value.
SELECT CAST(sensitive.key AS VARCHAR) AS text, sensitive.cell, sensitive.n FROM sensitive ORDER BY sensitive.cell;

-- name: unknown_values
-- The classes of a written release with a value of a sensitive attribute that the dataset does not have. One row is one
-- class.
SELECT numbered.class
FROM numbered
LEFT JOIN sensitive ON numbered.value IS NOT DISTINCT FROM sensitive.key
WHERE sensitive.cell IS NULL
GROUP BY numbered.class;

-- name: counted
-- A written release, counted as it was before it was written. One row is one combination of its values.
SELECT released.value, released.person, COUNT(*) AS n FROM released GROUP BY released.value, released.person;

-- name: own_values
-- The values of a sensitive attribute as a release has them: numbers in their order, NULL last. One row is one value.
SELECT own.key, ROW_NUMBER() OVER (ORDER BY own.key NULLS LAST) - 1 AS cell, own.n
FROM (SELECT counted.value AS key, SUM(counted.n) AS n FROM counted GROUP BY counted.value) AS own;

-- name: values
-- The values of a sensitive attribute by number, with the count of each in the whole dataset. One row is one value.
-- $texts = ['basic', 'plus']
-- $cells = [0, 1]
-- $counts = [6, 4]
SELECT CAST(listed.text AS VARCHAR) AS key, listed.cell, listed.n
FROM (SELECT UNNEST($texts) AS text, UNNEST($cells) AS cell, UNNEST($counts) AS n) AS listed;

-- name: value_levels
-- The class of each value of a sensitive attribute at each level of a hierarchy. One row is one value at one level.
-- $values = [0, 1, 0, 1]
-- $levels = [0, 0, 1, 1]
-- $ancestors = [0, 1, 0, 0]
SELECT UNNEST($values) AS value, UNNEST($levels) AS level, UNNEST($ancestors) AS ancestor;

-- name: persons
-- The k of a release whose rows distinguish persons by a pseudonym: the histogram of its class sizes in persons. One
-- row is one class size.
SELECT class.size, COUNT(*) AS classes
FROM (SELECT COUNT(DISTINCT released.person) AS size FROM released GROUP BY released.value) AS class
GROUP BY class.size;

-- name: rows
-- The k of a release of persons: the histogram of its class sizes. One row is one class size.
SELECT class.size, COUNT(*) AS classes
FROM (SELECT COUNT(*) AS size FROM released GROUP BY released.value) AS class
GROUP BY class.size;

-- name: table
-- The k of a released statistical table: the histogram of its class sizes. One row is one class size.
SELECT class.size, COUNT(*) AS classes
FROM (SELECT SUM(CAST(released.n AS BIGINT)) AS size FROM released GROUP BY released.value) AS class
GROUP BY class.size;

-- name: apart
-- A release without its star rows, which have * in every column. One row is one row of the release.
SELECT * FROM released WHERE released.value IS DISTINCT FROM '*';

-- name: stars
-- The number of rows of a release with * in every column. One row.
SELECT COUNT(*) AS stars, COALESCE(SUM(CAST(released.n AS BIGINT)), 0) AS units FROM released WHERE released.value = '*';

-- name: person_count
-- The number of rows of a release, and of its persons by their pseudonyms. One row.
SELECT COUNT(*) AS n, COUNT(DISTINCT released.person) AS persons FROM released;
