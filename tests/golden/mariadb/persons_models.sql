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

-- persons, numbered
SELECT
  `dataset`.`who` AS `key`,
  COUNT(*) AS `n`
FROM (
  SELECT
    *
  FROM `shop`.`t` AS `dataset`
) AS `dataset`
GROUP BY
  `dataset`.`who`;

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

-- coverage: how often each value of age occurs
SELECT
  `dataset`.`age` AS `key`,
  COUNT(*) AS `n`
FROM (
  SELECT
    *
  FROM `shop`.`t` AS `dataset`
) AS `dataset`
GROUP BY
  `dataset`.`age`;

-- how often each value of ill occurs
SELECT
  `dataset`.`ill` AS `key`,
  COUNT(DISTINCT `dataset`.`who`) AS `n`
FROM (
  SELECT
    *
  FROM (
    SELECT
      `who` AS `who`,
      CAST(`ill` AS CHAR CHARACTER SET utf8mb4) COLLATE utf8mb4_nopad_bin AS `ill`
    FROM `shop`.`t`
  ) AS `dataset`
) AS `dataset`
GROUP BY
  `dataset`.`ill`;

-- frequency set
SELECT
  `dataset`.`who` AS `v1`,
  `dataset`.`sex` AS `v2`,
  `dataset`.`age` AS `v3`,
  `dataset`.`ill` AS `v4`,
  COUNT(*) AS `n`
FROM (
  SELECT
    *
  FROM (
    SELECT
      `who` AS `who`,
      CAST(`sex` AS CHAR CHARACTER SET utf8mb4) COLLATE utf8mb4_nopad_bin AS `sex`,
      `age` AS `age`,
      CAST(`ill` AS CHAR CHARACTER SET utf8mb4) COLLATE utf8mb4_nopad_bin AS `ill`
    FROM `shop`.`t`
  ) AS `dataset`
) AS `dataset`
GROUP BY
  `dataset`.`who`,
  `dataset`.`sex`,
  `dataset`.`age`,
  `dataset`.`ill`;

-- release, counted
SELECT
  `dataset`.`sex` AS `v1`,
  `dataset`.`age` AS `v2`,
  `dataset`.`ill` AS `v3`,
  `dataset`.`who` AS `person`,
  COUNT(*) AS `n`
FROM (
  SELECT
    *
  FROM (
    SELECT
      `who` AS `who`,
      CAST(`sex` AS CHAR CHARACTER SET utf8mb4) COLLATE utf8mb4_nopad_bin AS `sex`,
      `age` AS `age`,
      CAST(`ill` AS CHAR CHARACTER SET utf8mb4) COLLATE utf8mb4_nopad_bin AS `ill`
    FROM `shop`.`t`
  ) AS `dataset`
) AS `dataset`
GROUP BY
  `dataset`.`sex`,
  `dataset`.`age`,
  `dataset`.`ill`,
  `dataset`.`who`;
