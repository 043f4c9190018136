-- The rows whose text is of a form, of a column whose values are counted. One row: their number.
-- $form = '[0-9]+'
SELECT COALESCE(SUM(counted.n), 0) AS n
FROM counted
WHERE REGEXP_FULL_MATCH(CAST(counted.value AS VARCHAR), $form)
