-- (alpha, k)-anonymity where persons are counted, of whom one may have several values: the classes where more than
-- alpha of the persons share one value of a sensitive attribute. One row is one such class, with that share; without
-- the WHERE, one row is any class. alpha is $numerator / $denominator.
-- $numerator = 1
-- $denominator = 2
SELECT class.class, CAST(class.commonest AS DOUBLE) / CAST(class.size AS DOUBLE) AS figure
FROM (
  SELECT
    class_value.class,
    CAST(MAX(class_value.n) AS DECIMAL(38, 0)) AS commonest,
    CAST(MAX(class_size.size) AS DECIMAL(38, 0)) AS size
  FROM class_value
  JOIN class_size ON class_size.class = class_value.class
  GROUP BY class_value.class
) AS class
WHERE class.commonest * $denominator > $numerator * class.size
