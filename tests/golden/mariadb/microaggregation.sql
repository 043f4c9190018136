-- dataset version
SELECT
  COUNT(*) AS `n`,
  COALESCE(
    CAST(SUM(
      CAST(CONV(
        LEFT(
          MD5(
            CONCAT_WS(
              ',',
              QUOTE(`dataset`.`who`),
              QUOTE(`dataset`.`sex`),
              QUOTE(`dataset`.`age`),
              QUOTE(`dataset`.`code`),
              QUOTE(`dataset`.`joined`),
              QUOTE(`dataset`.`height`),
              QUOTE(`dataset`.`ill`),
              QUOTE(`dataset`.`kept`)
            )
          ),
          16
        ),
        16,
        10
      ) AS DECIMAL(20))
    ) AS CHAR),
    '0'
  ) AS `hash_sum`
FROM (
  SELECT
    *
  FROM (
    SELECT
      `who` AS `who`,
      CAST(`sex` AS CHAR CHARACTER SET utf8mb4) COLLATE utf8mb4_nopad_bin AS `sex`,
      `age` AS `age`,
      CAST(`code` AS CHAR CHARACTER SET utf8mb4) COLLATE utf8mb4_nopad_bin AS `code`,
      `joined` AS `joined`,
      `height` AS `height`,
      CAST(`ill` AS CHAR CHARACTER SET utf8mb4) COLLATE utf8mb4_nopad_bin AS `ill`,
      `kept` AS `kept`
    FROM `shop`.`t`
  ) AS `dataset`
) AS `dataset`;

-- coverage: how often each value of sex occurs
SELECT
  `dataset`.`sex` AS `key`,
  COUNT(*) AS `n`
FROM (
  SELECT
    *
  FROM (
    SELECT
      CAST(`sex` AS CHAR CHARACTER SET utf8mb4) COLLATE utf8mb4_nopad_bin AS `sex`
    FROM `shop`.`t`
  ) AS `dataset`
) AS `dataset`
GROUP BY
  `dataset`.`sex`;

-- the records, in the order of their values
WITH `keys_1` AS (
  SELECT DISTINCT
    CAST(`listed`.`c0` AS CHAR CHARACTER SET utf8mb4) COLLATE utf8mb4_nopad_bin AS `key`,
    `listed`.`c1` AS `cell`,
    `listed`.`c2` AS `q1_l0`
  FROM JSON_TABLE('[[\"f\",0,0],[\"m\",1,1],[null,2,2]]', '$[*]' COLUMNS(
    `c0` VARCHAR(1) PATH '$[0]',
    `c1` BIGINT UNSIGNED PATH '$[1]',
    `c2` BIGINT UNSIGNED PATH '$[2]'
  )) AS `listed`
)
SELECT
  CASE
    WHEN `dataset`.`sex` IS NULL
    THEN (
      SELECT
        `keys_1`.`q1_l0`
      FROM `keys_1`
      WHERE
        `keys_1`.`key` IS NULL
    )
    ELSE `keys_1`.`q1_l0`
  END AS `w1`,
  `dataset`.`age` AS `a1`,
  `dataset`.`height` AS `a2`,
  `dataset`.`kept` AS `v4`
FROM (
  SELECT
    *
  FROM (
    SELECT
      CAST(`sex` AS CHAR CHARACTER SET utf8mb4) COLLATE utf8mb4_nopad_bin AS `sex`,
      `age` AS `age`,
      `height` AS `height`,
      `kept` AS `kept`
    FROM `shop`.`t`
  ) AS `dataset`
) AS `dataset`
LEFT JOIN `keys_1`
  ON `dataset`.`sex` = `keys_1`.`key`
ORDER BY
  CASE WHEN CASE
    WHEN `dataset`.`sex` IS NULL
    THEN (
      SELECT
        `keys_1`.`q1_l0`
      FROM `keys_1`
      WHERE
        `keys_1`.`key` IS NULL
    )
    ELSE `keys_1`.`q1_l0`
  END IS NULL THEN 1 ELSE 0 END, CASE
    WHEN `dataset`.`sex` IS NULL
    THEN (
      SELECT
        `keys_1`.`q1_l0`
      FROM `keys_1`
      WHERE
        `keys_1`.`key` IS NULL
    )
    ELSE `keys_1`.`q1_l0`
  END,
  CASE WHEN `dataset`.`age` IS NULL THEN 1 ELSE 0 END, `dataset`.`age`,
  CASE WHEN `dataset`.`height` IS NULL THEN 1 ELSE 0 END, `dataset`.`height`,
  CASE WHEN `dataset`.`kept` IS NULL THEN 1 ELSE 0 END, `dataset`.`kept`;
