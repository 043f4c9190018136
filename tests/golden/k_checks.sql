SELECT
  class.node,
  class.size,
  COUNT(*) AS classes
FROM (
  SELECT
    node.number AS node,
    CAST(SUM(packed.n) AS BIGINT) AS size
  FROM frequency_set_packed AS packed
  CROSS JOIN (VALUES
    (0, 4161567),
    (1, 532676832)) AS node(number, w0)
  GROUP BY
    node.number,
    packed.w0 & node.w0
) AS class
GROUP BY
  class.node,
  class.size;
