-- The histogram of the smallest class of each person. One row is one size, with the number of such persons.
SELECT least.size, COUNT(*) AS persons
FROM (
  SELECT numbered.person, MIN(class_size.size) AS size
  FROM numbered
  JOIN class_size ON class_size.class = numbered.class
  GROUP BY numbered.person
) AS least
GROUP BY least.size
