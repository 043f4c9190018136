SELECT
  listed.person,
  drawn.number
FROM (
  SELECT
    one.person,
    ROW_NUMBER() OVER () AS place
  FROM (
    SELECT DISTINCT
      decided.person
    FROM released_decided AS decided
    WHERE
      NOT decided.suppressed
  ) AS one
) AS listed
JOIN (
  SELECT
    UNNEST($numbers) AS number,
    GENERATE_SUBSCRIPTS($numbers, 1) AS place
) AS drawn
  ON listed.place = drawn.place;
