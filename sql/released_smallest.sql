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
GROUP BY smallest.size
