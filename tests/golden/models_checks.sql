SELECT
  class.node,
  0 AS part,
  class.size,
  class.fails AS other,
  COUNT(*) AS n
FROM (
  SELECT
    node.number AS node,
    CAST(SUM(packed.n) AS BIGINT) AS size,
    CASE WHEN CAST(BIT_COUNT(BIT_OR(packed.v5_0)) AS INT) < 2 THEN 1 ELSE 0 END AS fails
  FROM frequency_set_packed AS packed
  CROSS JOIN (VALUES
    (0, 4161567),
    (1, 0)) AS node(number, w0)
  GROUP BY
    node.number,
    packed.w0 & node.w0
) AS class
GROUP BY
  class.node,
  class.size,
  class.fails;
