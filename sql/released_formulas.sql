-- The cells of a release that a spreadsheet would run as formulas: texts that begin with =, +, -, @, a tab or a
-- carriage return, and are no numbers. One row: a count for each column, NULL where no row begins so. `released` has
-- each combination of values once, and its rows as n.
SELECT
  SUM(released.n) FILTER (WHERE REGEXP_MATCHES(CAST(released.value AS VARCHAR), '^[=+\-@\t\r]')
    AND NOT REGEXP_MATCHES(CAST(released.value AS VARCHAR), '^[+\-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+\-]?[0-9]+)?$')) AS value
FROM released
WHERE REGEXP_MATCHES(CAST(released.value AS VARCHAR), '^[=+\-@\t\r]')
