-- The rows of each class with each value. One row is one class with one value of each sensitive column, of one person
-- where persons are counted. The class is a number that the numbers of its values are packed into: one integer is
-- grouped in half the time that many columns are.
SELECT coded.class, coded.value, COUNT(*) AS n
FROM (
  SELECT keys.cell AS class, keys.cell AS value
  FROM dataset
  JOIN keys ON dataset.qi IS NOT DISTINCT FROM keys.key
) AS coded
GROUP BY coded.class, coded.value
