SELECT
  later.w0,
  CASE
    WHEN (
      later.w0_1_back & 3
    ) = 0
    THEN CAST(1 AS USMALLINT)
    ELSE CAST(0 AS USMALLINT)
  END | CASE
    WHEN (
      later.w0_2_back & 3
    ) = 0
    THEN CAST(2 AS USMALLINT)
    ELSE CAST(0 AS USMALLINT)
  END | CASE
    WHEN (
      later.w0_3_back & 3
    ) = 0
    THEN CAST(4 AS USMALLINT)
    ELSE CAST(0 AS USMALLINT)
  END | CASE
    WHEN (
      later.w0_4_back & 3
    ) = 0
    THEN CAST(8 AS USMALLINT)
    ELSE CAST(0 AS USMALLINT)
  END | CASE
    WHEN (
      later.w0_5_back & 3
    ) = 0
    THEN CAST(16 AS USMALLINT)
    ELSE CAST(0 AS USMALLINT)
  END | CASE
    WHEN (
      later.w0_6_back & 3
    ) = 0
    THEN CAST(32 AS USMALLINT)
    ELSE CAST(0 AS USMALLINT)
  END | CASE
    WHEN (
      later.w0_7_back & 3
    ) = 0
    THEN CAST(64 AS USMALLINT)
    ELSE CAST(0 AS USMALLINT)
  END | CASE
    WHEN (
      later.w0_8_back & 3
    ) = 0
    THEN CAST(128 AS USMALLINT)
    ELSE CAST(0 AS USMALLINT)
  END | CASE
    WHEN (
      later.w0_9_back & 3
    ) = 0
    THEN CAST(256 AS USMALLINT)
    ELSE CAST(0 AS USMALLINT)
  END | CASE
    WHEN (
      later.w0_10_back & 3
    ) = 0
    THEN CAST(512 AS USMALLINT)
    ELSE CAST(0 AS USMALLINT)
  END | CASE
    WHEN (
      later.w0_11_back & 3
    ) = 0
    THEN CAST(1024 AS USMALLINT)
    ELSE CAST(0 AS USMALLINT)
  END | CASE
    WHEN (
      later.w0_12_back & 3
    ) = 0
    THEN CAST(2048 AS USMALLINT)
    ELSE CAST(0 AS USMALLINT)
  END | CASE
    WHEN (
      later.w0_13_back & 3
    ) = 0
    THEN CAST(4096 AS USMALLINT)
    ELSE CAST(0 AS USMALLINT)
  END | CASE
    WHEN (
      later.w0_14_back & 3
    ) = 0
    THEN CAST(8192 AS USMALLINT)
    ELSE CAST(0 AS USMALLINT)
  END | CASE
    WHEN (
      later.w0_15_back & 3
    ) = 0
    THEN CAST(16384 AS USMALLINT)
    ELSE CAST(0 AS USMALLINT)
  END AS q1_l0_shared,
  CASE
    WHEN (
      later.w0_1_back & 12
    ) = 0
    THEN CAST(1 AS USMALLINT)
    ELSE CAST(0 AS USMALLINT)
  END | CASE
    WHEN (
      later.w0_2_back & 12
    ) = 0
    THEN CAST(2 AS USMALLINT)
    ELSE CAST(0 AS USMALLINT)
  END | CASE
    WHEN (
      later.w0_3_back & 12
    ) = 0
    THEN CAST(4 AS USMALLINT)
    ELSE CAST(0 AS USMALLINT)
  END | CASE
    WHEN (
      later.w0_4_back & 12
    ) = 0
    THEN CAST(8 AS USMALLINT)
    ELSE CAST(0 AS USMALLINT)
  END | CASE
    WHEN (
      later.w0_5_back & 12
    ) = 0
    THEN CAST(16 AS USMALLINT)
    ELSE CAST(0 AS USMALLINT)
  END | CASE
    WHEN (
      later.w0_6_back & 12
    ) = 0
    THEN CAST(32 AS USMALLINT)
    ELSE CAST(0 AS USMALLINT)
  END | CASE
    WHEN (
      later.w0_7_back & 12
    ) = 0
    THEN CAST(64 AS USMALLINT)
    ELSE CAST(0 AS USMALLINT)
  END | CASE
    WHEN (
      later.w0_8_back & 12
    ) = 0
    THEN CAST(128 AS USMALLINT)
    ELSE CAST(0 AS USMALLINT)
  END | CASE
    WHEN (
      later.w0_9_back & 12
    ) = 0
    THEN CAST(256 AS USMALLINT)
    ELSE CAST(0 AS USMALLINT)
  END | CASE
    WHEN (
      later.w0_10_back & 12
    ) = 0
    THEN CAST(512 AS USMALLINT)
    ELSE CAST(0 AS USMALLINT)
  END | CASE
    WHEN (
      later.w0_11_back & 12
    ) = 0
    THEN CAST(1024 AS USMALLINT)
    ELSE CAST(0 AS USMALLINT)
  END | CASE
    WHEN (
      later.w0_12_back & 12
    ) = 0
    THEN CAST(2048 AS USMALLINT)
    ELSE CAST(0 AS USMALLINT)
  END | CASE
    WHEN (
      later.w0_13_back & 12
    ) = 0
    THEN CAST(4096 AS USMALLINT)
    ELSE CAST(0 AS USMALLINT)
  END | CASE
    WHEN (
      later.w0_14_back & 12
    ) = 0
    THEN CAST(8192 AS USMALLINT)
    ELSE CAST(0 AS USMALLINT)
  END | CASE
    WHEN (
      later.w0_15_back & 12
    ) = 0
    THEN CAST(16384 AS USMALLINT)
    ELSE CAST(0 AS USMALLINT)
  END AS c5_shared
FROM (
  SELECT
    worded.w0,
    ROW_NUMBER() OVER person AS place,
    XOR(worded."w0", LAG(worded."w0", 1) OVER person) AS w0_1_back,
    XOR(worded."w0", LAG(worded."w0", 2) OVER person) AS w0_2_back,
    XOR(worded."w0", LAG(worded."w0", 3) OVER person) AS w0_3_back,
    XOR(worded."w0", LAG(worded."w0", 4) OVER person) AS w0_4_back,
    XOR(worded."w0", LAG(worded."w0", 5) OVER person) AS w0_5_back,
    XOR(worded."w0", LAG(worded."w0", 6) OVER person) AS w0_6_back,
    XOR(worded."w0", LAG(worded."w0", 7) OVER person) AS w0_7_back,
    XOR(worded."w0", LAG(worded."w0", 8) OVER person) AS w0_8_back,
    XOR(worded."w0", LAG(worded."w0", 9) OVER person) AS w0_9_back,
    XOR(worded."w0", LAG(worded."w0", 10) OVER person) AS w0_10_back,
    XOR(worded."w0", LAG(worded."w0", 11) OVER person) AS w0_11_back,
    XOR(worded."w0", LAG(worded."w0", 12) OVER person) AS w0_12_back,
    XOR(worded."w0", LAG(worded."w0", 13) OVER person) AS w0_13_back,
    XOR(worded."w0", LAG(worded."w0", 14) OVER person) AS w0_14_back,
    XOR(worded."w0", LAG(worded."w0", 15) OVER person) AS w0_15_back
  FROM combinations_worded AS worded
  WHERE
    worded.combinations <= 16
  WINDOW person AS (PARTITION BY worded.person ORDER BY worded.w0)
) AS later
WHERE
  later.place > 1;
