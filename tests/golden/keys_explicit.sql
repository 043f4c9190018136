SELECT
  TRY_CAST(leaf.key AS TEXT) AS key,
  CAST(leaf.cell AS UTINYINT) AS "cell",
  CAST(leaf.q1_l0 AS UTINYINT) AS q1_l0
FROM (
  SELECT
    UNNEST($leaves) AS key,
    UNNEST($cells) AS cell,
    UNNEST($q1_l0) AS q1_l0
) AS leaf
WHERE
  leaf.key IS NULL
  OR (
    NOT TRY_CAST(leaf.key AS TEXT) IS NULL
    AND COALESCE(
      TRY_CAST(leaf.key AS DOUBLE) = TRY_CAST(CAST(TRY_CAST(leaf.key AS TEXT) AS TEXT) AS DOUBLE),
      TRUE
    )
  );
