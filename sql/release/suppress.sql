-- Suppressed classes of a release.

-- name: sizes
-- The classes of a release, numbered, with the rows (or persons) of each. One row is one class.
SELECT ROW_NUMBER() OVER () AS class, counted.value, SUM(counted.n) AS units, COUNT(DISTINCT counted.person) AS persons
FROM counted
GROUP BY counted.value;

-- name: numbered
-- The release, counted, with the number of each combination's class. One row is one combination of released values.
SELECT class.class, counted.value, counted.person, counted.n
FROM counted
JOIN classes AS class ON counted.value IS NOT DISTINCT FROM class.value;

-- name: too_small
-- The classes smaller than k. One row is one class.
SELECT class.class FROM classes AS class WHERE class.units < 2;

-- name: class_sizes
-- The persons of each class, for the models that cannot add them up. One row is one class.
SELECT class.class, class.units AS size FROM classes AS class;

-- name: class_values
-- The frequency of each value of a sensitive attribute in each class. One row is one value in one class, with its rows
-- (or persons). Values go by their numbers.
SELECT numbered.class, sensitive.cell AS value, SUM(numbered.n) AS n, COUNT(DISTINCT numbered.person) AS persons
FROM numbered
JOIN sensitive ON numbered.value IS NOT DISTINCT FROM sensitive.key
GROUP BY numbered.class, sensitive.cell;

-- name: decided
-- The release, decided: a combination is suppressed if its class is too small or fails a model. One row is one
-- combination of released values, n rows of the dataset (of one person, where persons are distinguished) have it.
SELECT numbered.value, numbered.person, numbered.n, failing.class IS NOT NULL AS suppressed
FROM numbered
LEFT JOIN (SELECT DISTINCT suppressed.class FROM suppressed) AS failing ON numbered.class = failing.class;

-- name: all
-- The release, decided, where nothing is suppressed. One row is one combination of released values (of one person,
-- where persons are distinguished).
SELECT counted.value, counted.person, counted.n, FALSE AS suppressed FROM counted;
