-- The persons by the size of the smallest class that they are in. One row is one size, in persons.
SELECT least.size, COUNT(*) AS persons
FROM (
  SELECT coded.person, MIN(class.size) AS size
  FROM coded
  JOIN (SELECT coded.cell, COUNT(DISTINCT coded.person) AS size FROM coded GROUP BY coded.cell) AS class
    ON coded.cell = class.cell
  GROUP BY coded.person
) AS least
GROUP BY least.size
