SELECT
  leaf.key AS key,
  CAST(leaf.cell AS UTINYINT) AS "cell",
  CAST(leaf.q3_l1 AS UTINYINT) AS q3_l1,
  CAST(leaf.q3_l2 AS UTINYINT) AS q3_l2
FROM (
  SELECT
    UNNEST($leaves) AS key,
    UNNEST($cells) AS cell,
    UNNEST($q3_l1) AS q3_l1,
    UNNEST($q3_l2) AS q3_l2
) AS leaf;
