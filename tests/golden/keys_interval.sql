SELECT
  leaf.key AS key,
  CAST(leaf.cell AS UTINYINT) AS "cell",
  CAST(leaf.q2_l1 AS UTINYINT) AS q2_l1,
  CAST(leaf.q2_l2 AS UTINYINT) AS q2_l2
FROM (
  SELECT
    UNNEST($leaves) AS key,
    UNNEST($cells) AS cell,
    UNNEST($q2_l1) AS q2_l1,
    UNNEST($q2_l2) AS q2_l2
) AS leaf;
