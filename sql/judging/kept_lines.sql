-- The number of the original's rows with a known row of the release. One row.
SELECT COUNT(*) AS kept FROM kept
