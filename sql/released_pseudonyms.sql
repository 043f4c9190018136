-- A random number, or text of letters, for every person of whom a row is released. One row is one person.
-- $numbers = [7, 2, 9, 4, 1, 10, 3, 8, 6, 5]
SELECT listed.person, drawn.number
FROM (
  SELECT one.person, ROW_NUMBER() OVER () AS place
  FROM (SELECT DISTINCT decided.person FROM decided WHERE NOT decided.suppressed) AS one
) AS listed
JOIN (
  SELECT UNNEST($numbers) AS number, GENERATE_SUBSCRIPTS($numbers, 1) AS place
) AS drawn ON listed.place = drawn.place
