SELECT
  of_size.node,
  field.attribute,
  (
    (
      of_size.w0 & field.w0
    )
  ) >> field.start AS class,
  SUM(of_size.n) AS n
FROM (
  SELECT
    node.number AS node,
    packed.w0 & node.w0 AS w0,
    SUM(packed.n) AS n
  FROM frequency_set_packed AS packed
  CROSS JOIN (VALUES
    (0, 4161567),
    (1, 0)) AS node(number, w0)
  GROUP BY
    node.number,
    packed.w0 & node.w0
  HAVING
    CASE
      WHEN CAST(BIT_COUNT(BIT_OR(packed.v5_0)) AS INT) < 2
      THEN 0
      ELSE SUM(packed.n)
    END BETWEEN 0 AND 4
) AS of_size
JOIN (VALUES
  (0, 0, 0, 3),
  (0, 1, 2, 28),
  (0, 2, 15, 4161536),
  (1, 0, 0, 0)) AS field(node, attribute, start, w0)
  ON field.node = of_size.node
GROUP BY
  of_size.node,
  field.attribute,
  (
    (
      of_size.w0 & field.w0
    )
  ) >> field.start;
