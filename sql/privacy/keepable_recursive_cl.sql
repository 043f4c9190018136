-- Recursive (c, l)-diversity: the most units of a class that finer nodes can keep. One row is one class. What is kept
-- satisfies the model, too, and its l-th commonest and all rarer values have no more units than those of the class; so no
-- value keeps as many as c times these. c is $numerator / $denominator.
-- $l = 2
-- $numerator = 1
-- $denominator = 1
SELECT
  capped.class,
  SUM(CASE WHEN capped.n > capped.most THEN capped.most ELSE capped.n END) AS units
FROM (
  SELECT
    counted.class,
    counted.n,
    CASE WHEN counted.others = 0 THEN 0 ELSE CAST((counted.others * $numerator - 1 - (counted.others * $numerator - 1) % $denominator)
      / $denominator AS DECIMAL(38, 0)) END AS most
  FROM (
    SELECT
      placed.class,
      placed.n,
      CAST(SUM(CASE WHEN placed.place >= $l THEN placed.n ELSE 0 END) OVER (PARTITION BY placed.class) AS DECIMAL(38, 0)) AS others
    FROM (
      SELECT
        class_value.class,
        CAST(class_value.n AS DECIMAL(38, 0)) AS n,
        ROW_NUMBER() OVER (PARTITION BY class_value.class ORDER BY class_value.n DESC NULLS LAST, class_value.value NULLS FIRST) AS place
      FROM class_value
    ) AS placed
  ) AS counted
) AS capped
GROUP BY capped.class
