-- The variance of a column of numbers (`other`), and that of its means by the labels of another (`one`). One row.
SELECT SUM(part.n) AS n, SUM(part.n * part.mean * part.mean) AS between_labels, SUM(part.squares) AS whole
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
) AS part
