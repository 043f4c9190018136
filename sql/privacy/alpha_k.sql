-- (alpha, k)-anonymity: the classes with one value of a sensitive attribute more frequent than alpha. One row is one
-- such class, with the share of its commonest value; without the WHERE, one row is any class. alpha is $numerator /
-- $denominator.
-- $numerator = 1
-- $denominator = 2
SELECT class.class, CAST(class.commonest AS DOUBLE) / CAST(class.size AS DOUBLE) AS figure
FROM (
  SELECT
    class_value.class,
    CAST(MAX(class_value.n) AS DECIMAL(38, 0)) AS commonest,
    CAST(SUM(class_value.n) AS DECIMAL(38, 0)) AS size
  FROM class_value
  GROUP BY class_value.class
) AS class
WHERE class.commonest * $denominator > $numerator * class.size
