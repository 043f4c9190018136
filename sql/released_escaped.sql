-- A release with an apostrophe before each cell that a spreadsheet would run as a formula, and before each that begins
-- with apostrophes and then like a formula: so the original cell can be recovered from the written one. One row is one
-- row of the release.
SELECT
  CASE
    WHEN REGEXP_MATCHES(CAST(released.value AS VARCHAR), '^''*[=+\-@\t\r]')
      AND NOT REGEXP_MATCHES(CAST(released.value AS VARCHAR), '^[+\-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+\-]?[0-9]+)?$')
    THEN '''' || CAST(released.value AS VARCHAR)
    ELSE CAST(released.value AS VARCHAR)
  END AS value
FROM released
