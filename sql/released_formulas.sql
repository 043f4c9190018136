-- The cells of a release that a spreadsheet would run as formulas: texts that begin with =, +, -, @, a tab or a
-- carriage return, and are no numbers. One row: a count for each column.
SELECT
  COUNT(*) FILTER (WHERE REGEXP_MATCHES(CAST(released.value AS VARCHAR), '^[=+\-@\t\r]')
    AND NOT REGEXP_MATCHES(CAST(released.value AS VARCHAR), '^[+\-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+\-]?[0-9]+)?$')) AS value
FROM released
