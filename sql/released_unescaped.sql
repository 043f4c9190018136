-- A release that was written with apostrophes before formulas, read without them. One row is one row of the release.
SELECT
  CASE
    WHEN REGEXP_MATCHES(released.value, '^''+[=+\-@\t\r]') THEN SUBSTRING(released.value, 2)
    ELSE released.value
  END AS value
FROM released
