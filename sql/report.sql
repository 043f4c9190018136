-- Reports.

-- name: categories
-- The combinations with the category of their labels, or the middle of their spans, for associations. One row is one
-- combination.
SELECT place.category, CASE WHEN place.low IS NOT NULL AND place.high IS NOT NULL THEN (place.low + place.high) / 2.0 END AS middle,
  SUM(coded.n) AS n
FROM coded
JOIN place ON coded.cell = place.cell
GROUP BY place.category, middle;

-- name: moments
-- The moments of two columns of numbers, of the rows that have both. One row.
SELECT
  SUM(centred.n) AS n,
  SUM(centred.n * centred.one * centred.other) AS products,
  SUM(centred.n * centred.one * centred.one) AS ones,
  SUM(centred.n * centred.other * centred.other) AS others
FROM (
  SELECT
    joint.n,
    joint.one - SUM(joint.n * joint.one) OVER () / SUM(joint.n) OVER () AS one,
    joint.other - SUM(joint.n * joint.other) OVER () / SUM(joint.n) OVER () AS other
  FROM (
    SELECT grouped.one AS one, grouped.other AS other, CAST(SUM(grouped.n) AS DOUBLE) AS n
    FROM grouped
    WHERE grouped.one IS NOT NULL AND grouped.other IS NOT NULL
    GROUP BY grouped.one, grouped.other
  ) AS joint
) AS centred;

-- name: variances
-- The variance of a column of numbers (`other`), that of its means by the labels of another (`one`), and the labels. One
-- row.
SELECT
  SUM(part.n) AS n,
  SUM(part.n * part.mean * part.mean) AS between_labels,
  SUM(part.squares) AS whole,
  COUNT(*) AS labels
FROM (
  SELECT SUM(centred.n) AS n, SUM(centred.n * centred.other) / SUM(centred.n) AS mean, SUM(centred.n * centred.other * centred.other) AS squares
  FROM (
    SELECT
      grouped.one AS one,
      CAST(grouped.n AS DOUBLE) AS n,
      grouped.other - SUM(grouped.n * grouped.other) OVER () / SUM(grouped.n) OVER () AS other
    FROM grouped
    WHERE grouped.other IS NOT NULL
  ) AS centred
  GROUP BY centred.one
) AS part;

-- name: contingency
-- The contingency of two columns of labels. One row: phi squared (the chi-squared statistic / rows), the rows, and the
-- labels of each column.
SELECT
  SUM(CAST(pair.n AS DOUBLE) * pair.n / (pair.of_one * pair.of_other)) - 1.0 AS phi_squared,
  SUM(pair.n) AS n,
  COUNT(DISTINCT pair.one) AS ones,
  COUNT(DISTINCT pair.other) AS others
FROM (
  SELECT
    joint.one,
    joint.other,
    joint.n,
    CAST(SUM(joint.n) OVER (PARTITION BY joint.one) AS DOUBLE) AS of_one,
    CAST(SUM(joint.n) OVER (PARTITION BY joint.other) AS DOUBLE) AS of_other
  FROM (
    SELECT grouped.one AS one, grouped.other AS other, SUM(grouped.n) AS n FROM grouped GROUP BY grouped.one, grouped.other
  ) AS joint
) AS pair;

-- name: values
-- The values of a column of a release as numbers from 0, the most frequent first. One row is one value, with its rows.
SELECT
  counted.value AS key,
  ROW_NUMBER() OVER (ORDER BY counted.n DESC, counted.value NULLS LAST) - 1 AS cell,
  counted.n
FROM (
  SELECT released.value, CAST(SUM(released.n) AS BIGINT) AS n FROM released GROUP BY released.value
) AS counted;

-- name: combinations
-- The rows of each combination of values of a release. One row is one combination, of one person where a pseudonym
-- tells persons apart. In a statistical table a row stands for as many units as it counts.
SELECT released.value, released.person, CAST(SUM(CAST(released.n AS BIGINT)) AS BIGINT) AS n
FROM released
GROUP BY released.value, released.person;

-- name: coded
-- The combinations of a release with the numbers of their values. One row is one combination (of one person).
SELECT keys.cell, released.person, released.n
FROM released
JOIN keys ON released.value IS NOT DISTINCT FROM keys.key;

-- name: one_value
-- The classes in which a column has one value alone. One row: their number, and the rows in them.
SELECT COUNT(*) AS classes, COALESCE(SUM(class.n), 0) AS n
FROM (
  SELECT COUNT(DISTINCT coded.value) AS different, CAST(SUM(coded.n) AS BIGINT) AS n FROM coded GROUP BY coded.cell
) AS class
WHERE class.different = 1;

-- name: fewest_values
-- The fewest different values of a column in a class. One row.
SELECT COALESCE(MIN(class.different), 0) AS fewest
FROM (SELECT COUNT(DISTINCT coded.value) AS different FROM coded GROUP BY coded.cell) AS class;

-- name: classes
-- The histogram of class sizes of coded combinations, in rows. One row is one class size.
SELECT class.size, COUNT(*) AS classes
FROM (SELECT CAST(SUM(coded.n) AS BIGINT) AS size FROM coded GROUP BY coded.cell) AS class
GROUP BY class.size;

-- name: classes_of_persons
-- The histogram of class sizes of coded combinations, in persons. One row is one class size.
SELECT class.size, COUNT(*) AS classes
FROM (SELECT COUNT(DISTINCT coded.person) AS size FROM coded GROUP BY coded.cell) AS class
GROUP BY class.size;

-- name: persons_of_sizes
-- The persons by the size of the smallest class that they are in. One row is one size, in persons.
SELECT least.size, COUNT(*) AS persons
FROM (
  SELECT coded.person, MIN(class.size) AS size
  FROM coded
  JOIN (SELECT coded.cell, COUNT(DISTINCT coded.person) AS size FROM coded GROUP BY coded.cell) AS class
    ON coded.cell = class.cell
  GROUP BY coded.person
) AS least
GROUP BY least.size;

-- name: starred
-- The values of a column with `*` in place of themselves. One row is one value.
SELECT '*' AS key, valued.cell, valued.n FROM sensitive AS valued;

-- name: labels
-- The values of a column with their labels at a level, in place of themselves. One row is one value that has one.
SELECT shown.label AS key, valued.cell, valued.n
FROM sensitive AS valued
JOIN labels AS shown ON CAST(valued.key AS VARCHAR) IS NOT DISTINCT FROM CAST(shown.key AS VARCHAR);

-- name: places
-- The values of a column as labels and, where they are numbers, days or intervals of these, as spans from `low` up to
-- `high` (both the same for a single number; NULL for an open end, and where the label is none of these). A closed
-- interval of whole numbers or days ends before the next one, $unit later. `category` numbers the labels. Labels with a
-- unit, $label_unit, are those of Japanese tables, which name the last whole number of an interval. One row is one value.
-- $days = FALSE
-- $unit = 1
-- $label_unit = ''
SELECT
  ended.cell,
  ended.label,
  ended.n,
  DENSE_RANK() OVER (ORDER BY ended.label) - 1 AS category,
  ended.low,
  CASE WHEN ended.label LIKE '%]' THEN ended.high + CAST($unit AS DOUBLE)
    WHEN $label_unit <> '' AND ended.label LIKE '%' || $label_unit THEN ended.high + 1.0
    ELSE ended.high END AS high
FROM (
  SELECT
    parted.cell,
    parted.label,
    parted.n,
    CASE WHEN $days THEN CAST(EPOCH(TRY_CAST(parted.low AS TIMESTAMP)) AS DOUBLE) / 86400.0
      WHEN ISFINITE(TRY_CAST(parted.low AS DOUBLE)) THEN TRY_CAST(parted.low AS DOUBLE) END AS low,
    CASE WHEN $days THEN CAST(EPOCH(TRY_CAST(parted.high AS TIMESTAMP)) AS DOUBLE) / 86400.0
      WHEN ISFINITE(TRY_CAST(parted.high AS DOUBLE)) THEN TRY_CAST(parted.high AS DOUBLE) END AS high
  FROM (
    SELECT
      worded.cell,
      worded.label,
      worded.n,
      CASE WHEN worded.label LIKE '[%' OR worded.label LIKE '(%'
        THEN REGEXP_EXTRACT(worded.label, '^[[(] *([^,; ]+( [0-9:.]+)?) *[,;]', 1)
        WHEN worded.label LIKE '< %' THEN NULL
        WHEN worded.label LIKE '%+' THEN SUBSTRING(worded.label, 1, LENGTH(worded.label) - 1)
        WHEN worded.bare LIKE '%以上%' THEN REGEXP_EXTRACT(worded.bare, '^(.*)以上', 1)
        WHEN worded.bare LIKE '%未満' THEN NULL
        WHEN worded.bare LIKE '%～%' THEN REGEXP_EXTRACT(worded.bare, '^(.*)～', 1)
        ELSE worded.bare END AS low,
      CASE WHEN worded.label LIKE '[%' OR worded.label LIKE '(%'
        THEN REGEXP_EXTRACT(worded.label, '[,;] *([^,; ]+( [0-9:.]+)?) *[])]$', 1)
        WHEN worded.label LIKE '< %' THEN SUBSTRING(worded.label, 3)
        WHEN worded.label LIKE '%+' THEN NULL
        WHEN worded.bare LIKE '%未満' THEN REGEXP_EXTRACT(worded.bare, '^(.*以上)?(.*)未満$', 2)
        WHEN worded.bare LIKE '%以上' THEN NULL
        WHEN worded.bare LIKE '%～%' THEN REGEXP_EXTRACT(worded.bare, '～(.*)$', 1)
        ELSE worded.bare END AS high
    FROM (
      SELECT
        valued.cell,
        CAST(valued.key AS VARCHAR) AS label,
        CASE WHEN $label_unit = '' THEN CAST(valued.key AS VARCHAR) ELSE REPLACE(CAST(valued.key AS VARCHAR), $label_unit, '') END AS bare,
        valued.n
      FROM sensitive AS valued
    ) AS worded
  ) AS parted
) AS ended;

-- name: column
-- The figures of a column. One row: its rows, those without a value, its different labels, those whose label is a
-- number or a span of numbers (`*` among neither), those of `*`, and the least and the greatest of these numbers.
SELECT
  COALESCE(SUM(place.n), 0) AS n,
  COALESCE(SUM(CASE WHEN place.label IS NULL THEN place.n ELSE 0 END), 0) AS missing,
  COUNT(DISTINCT place.label) AS labels,
  COALESCE(SUM(CASE WHEN place.low IS NULL AND place.high IS NULL THEN 0 ELSE place.n END), 0) AS in_numbers,
  COALESCE(SUM(CASE WHEN place.label = '*' THEN place.n ELSE 0 END), 0) AS stars,
  MIN(COALESCE(place.low, place.high)) AS least,
  MAX(COALESCE(place.high, place.low)) AS greatest
FROM place;

-- name: frequent
-- The most frequent labels of a column. One row is one label, with its rows.
-- $most = 2
SELECT place.label, CAST(SUM(place.n) AS BIGINT) AS n
FROM place
WHERE place.label IS NOT NULL
GROUP BY place.label
ORDER BY n DESC, place.label
LIMIT $most;

-- name: rows_of_labels
-- The rows of given labels of a column. One row is one label that occurs.
-- $labels = ['E']
SELECT place.label, CAST(SUM(place.n) AS BIGINT) AS n
FROM place
WHERE place.label IN (SELECT wanted.label FROM (SELECT UNNEST($labels) AS label) AS wanted)
GROUP BY place.label;

-- name: spans
-- The different spans of numbers of a column. One row is one span, with its rows; NULL is an open end.
-- $most = 2
SELECT place.low, place.high, CAST(SUM(place.n) AS BIGINT) AS n
FROM place
WHERE place.low IS NOT NULL OR place.high IS NOT NULL
GROUP BY place.low, place.high
ORDER BY place.low NULLS FIRST, place.high NULLS LAST
LIMIT $most;

-- name: binned
-- The rows in bins of numbers. One row is one bin that has any. The rows of a span are spread evenly over its extent;
-- those of a span with an open end are all in the bin beside its other end.
-- $numbers = [0, 1]
-- $lows = [-1e308, 10.0]
-- $highs = [10.0, 1e308]
SELECT
  bin.number,
  SUM(place.n * CASE WHEN place.high > place.low
    THEN (LEAST(place.high, bin.high) - GREATEST(place.low, bin.low)) / (place.high - place.low) ELSE 1.0 END) AS n
FROM place
JOIN (
  SELECT UNNEST($numbers) AS number, CAST(UNNEST($lows) AS DOUBLE) AS low, CAST(UNNEST($highs) AS DOUBLE) AS high
) AS bin
  ON (place.low IS NOT NULL AND (place.high IS NULL OR place.high <= place.low) AND place.low >= bin.low AND place.low < bin.high)
  OR (place.low IS NULL AND place.high > bin.low AND place.high <= bin.high)
  OR (place.high > place.low AND place.low < bin.high AND place.high > bin.low)
GROUP BY bin.number;
