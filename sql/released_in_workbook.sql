-- A release as the cells of a workbook: values that are no number, day, time or truth value as texts. One row is one row
-- of the release.
SELECT CAST(released.value AS VARCHAR) AS value, CAST(CAST(released.n AS VARCHAR) AS DOUBLE) AS single FROM released
