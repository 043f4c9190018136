-- Entropy l-diversity: the classes where the entropy of a sensitive attribute is below ln l. One row is one such class,
-- with its entropy in nats; without the WHERE, one row is any class. l is $numerator / $denominator. A class on the
-- threshold passes: 0.000000001 nats are more than the rounding of the logarithms.
-- $numerator = 3
-- $denominator = 2
SELECT class.class, class.figure
FROM (
  SELECT
    class_value.class,
    LN(CAST(SUM(class_value.n) AS DOUBLE))
    - SUM(CAST(class_value.n AS DOUBLE) * LN(CAST(class_value.n AS DOUBLE))) / CAST(SUM(class_value.n) AS DOUBLE) AS figure
  FROM class_value
  GROUP BY class_value.class
) AS class
WHERE class.figure < LN(CAST($numerator AS DOUBLE) / CAST($denominator AS DOUBLE)) - 0.000000001
