-- The values of a column as labels and, where they are numbers, days or intervals of these, as spans from `low` up to
-- `high` (both the same for a single number; NULL for an open end, and where the label is none of these). A closed
-- interval of whole numbers or days ends before the next one, $unit later. `category` numbers the labels. One row is one value.
-- $days = FALSE
-- $unit = 1
SELECT
  ended.cell,
  ended.label,
  ended.n,
  DENSE_RANK() OVER (ORDER BY ended.label) - 1 AS category,
  ended.low,
  CASE WHEN ended.label LIKE '%]' THEN ended.high + CAST($unit AS DOUBLE) ELSE ended.high END AS high
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
        ELSE worded.label END AS low,
      CASE WHEN worded.label LIKE '[%' OR worded.label LIKE '(%'
        THEN REGEXP_EXTRACT(worded.label, '[,;] *([^,; ]+( [0-9:.]+)?) *[])]$', 1)
        WHEN worded.label LIKE '< %' THEN SUBSTRING(worded.label, 3)
        WHEN worded.label LIKE '%+' THEN NULL
        ELSE worded.label END AS high
    FROM (SELECT valued.cell, CAST(valued.key AS VARCHAR) AS label, valued.n FROM sensitive AS valued) AS worded
  ) AS parted
) AS ended
