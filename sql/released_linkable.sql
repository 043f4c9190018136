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
) AS linkable
