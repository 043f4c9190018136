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
) AS centred
