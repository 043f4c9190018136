-- dataset version: every column, without the row filter
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
  WHERE
    `joined` >= CAST('2020-06-01' AS DATE) AND `ill` <> 'Flu' OR `kept`
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
      CAST(`sex` AS CHAR CHARACTER SET utf8mb4) COLLATE utf8mb4_nopad_bin AS `sex`,
      `joined` AS `joined`,
      CAST(`ill` AS CHAR CHARACTER SET utf8mb4) COLLATE utf8mb4_nopad_bin AS `ill`,
      `kept` AS `kept`
    FROM `shop`.`t`
  ) AS `dataset`
  WHERE
    `joined` >= CAST('2020-06-01' AS DATE) AND `ill` <> 'Flu' OR `kept`
) AS `dataset`
GROUP BY
  `dataset`.`sex`;

-- coverage: how often each value of age occurs
SELECT
  `dataset`.`age` AS `key`,
  COUNT(*) AS `n`
FROM (
  SELECT
    *
  FROM (
    SELECT
      `age` AS `age`,
      `joined` AS `joined`,
      CAST(`ill` AS CHAR CHARACTER SET utf8mb4) COLLATE utf8mb4_nopad_bin AS `ill`,
      `kept` AS `kept`
    FROM `shop`.`t`
  ) AS `dataset`
  WHERE
    `joined` >= CAST('2020-06-01' AS DATE) AND `ill` <> 'Flu' OR `kept`
) AS `dataset`
GROUP BY
  `dataset`.`age`;

-- coverage: how often each value of code occurs
SELECT
  `dataset`.`code` AS `key`,
  COUNT(*) AS `n`
FROM (
  SELECT
    *
  FROM (
    SELECT
      CAST(`code` AS CHAR CHARACTER SET utf8mb4) COLLATE utf8mb4_nopad_bin AS `code`,
      `joined` AS `joined`,
      CAST(`ill` AS CHAR CHARACTER SET utf8mb4) COLLATE utf8mb4_nopad_bin AS `ill`,
      `kept` AS `kept`
    FROM `shop`.`t`
  ) AS `dataset`
  WHERE
    `joined` >= CAST('2020-06-01' AS DATE) AND `ill` <> 'Flu' OR `kept`
) AS `dataset`
GROUP BY
  `dataset`.`code`;

-- coverage: how often each value of joined occurs
SELECT
  `dataset`.`joined` AS `key`,
  COUNT(*) AS `n`
FROM (
  SELECT
    *
  FROM (
    SELECT
      `joined` AS `joined`,
      CAST(`ill` AS CHAR CHARACTER SET utf8mb4) COLLATE utf8mb4_nopad_bin AS `ill`,
      `kept` AS `kept`
    FROM `shop`.`t`
  ) AS `dataset`
  WHERE
    `joined` >= CAST('2020-06-01' AS DATE) AND `ill` <> 'Flu' OR `kept`
) AS `dataset`
GROUP BY
  `dataset`.`joined`;

-- frequency set
SELECT
  `dataset`.`sex` AS `v1`,
  `dataset`.`age` AS `v2`,
  `dataset`.`code` AS `v3`,
  `dataset`.`joined` AS `v4`,
  COUNT(*) AS `n`
FROM (
  SELECT
    *
  FROM (
    SELECT
      CAST(`sex` AS CHAR CHARACTER SET utf8mb4) COLLATE utf8mb4_nopad_bin AS `sex`,
      `age` AS `age`,
      CAST(`code` AS CHAR CHARACTER SET utf8mb4) COLLATE utf8mb4_nopad_bin AS `code`,
      `joined` AS `joined`,
      CAST(`ill` AS CHAR CHARACTER SET utf8mb4) COLLATE utf8mb4_nopad_bin AS `ill`,
      `kept` AS `kept`
    FROM `shop`.`t`
  ) AS `dataset`
  WHERE
    `joined` >= CAST('2020-06-01' AS DATE) AND `ill` <> 'Flu' OR `kept`
) AS `dataset`
GROUP BY
  `dataset`.`sex`,
  `dataset`.`age`,
  `dataset`.`code`,
  `dataset`.`joined`;

-- release, counted
SELECT
  `dataset`.`sex` AS `v1`,
  `dataset`.`age` AS `v2`,
  `dataset`.`code` AS `v3`,
  `dataset`.`joined` AS `v4`,
  COUNT(*) AS `n`
FROM (
  SELECT
    *
  FROM (
    SELECT
      CAST(`sex` AS CHAR CHARACTER SET utf8mb4) COLLATE utf8mb4_nopad_bin AS `sex`,
      `age` AS `age`,
      CAST(`code` AS CHAR CHARACTER SET utf8mb4) COLLATE utf8mb4_nopad_bin AS `code`,
      `joined` AS `joined`,
      CAST(`ill` AS CHAR CHARACTER SET utf8mb4) COLLATE utf8mb4_nopad_bin AS `ill`,
      `kept` AS `kept`
    FROM `shop`.`t`
  ) AS `dataset`
  WHERE
    `joined` >= CAST('2020-06-01' AS DATE) AND `ill` <> 'Flu' OR `kept`
) AS `dataset`
GROUP BY
  `dataset`.`sex`,
  `dataset`.`age`,
  `dataset`.`code`,
  `dataset`.`joined`;
