SELECT
  leaf.key AS key,
  CAST(leaf.cell AS UTINYINT) AS "cell",
  CAST(leaf.q4_l1 AS UTINYINT) AS q4_l1
FROM (
  SELECT
    UNNEST($leaves) AS key,
    UNNEST($cells) AS cell,
    UNNEST($q4_l1) AS q4_l1
) AS leaf;
