-- (alpha, k)-anonymity: the most units of a class that finer nodes can keep. One row is one class. Of m units kept no
-- value has more than alpha m; so if the j commonest values have `commonest` units of the class, m <= j alpha m + size -
-- commonest, for every j. alpha is $numerator / $denominator.
-- $numerator = 1
-- $denominator = 2
SELECT
  bounded.class,
  MIN(CASE WHEN bounded.room > 0
    THEN CAST((bounded.most - bounded.most % bounded.room) / bounded.room AS DECIMAL(38, 0)) ELSE bounded.size END) AS units
FROM (
  SELECT
    placed.class,
    placed.size,
    (placed.size - placed.commonest) * $denominator AS most,
    $denominator - placed.place * CAST($numerator AS DECIMAL(38, 0)) AS room
  FROM (
    SELECT
      class_value.class,
      ROW_NUMBER() OVER (PARTITION BY class_value.class ORDER BY class_value.n DESC NULLS LAST, class_value.value NULLS FIRST) AS place,
      CAST(SUM(class_value.n) OVER (
        PARTITION BY class_value.class
        ORDER BY class_value.n DESC NULLS LAST, class_value.value NULLS FIRST
        ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
      ) AS DECIMAL(38, 0)) AS commonest,
      CAST(SUM(class_value.n) OVER (PARTITION BY class_value.class) AS DECIMAL(38, 0)) AS size
    FROM class_value
  ) AS placed
) AS bounded
GROUP BY bounded.class
