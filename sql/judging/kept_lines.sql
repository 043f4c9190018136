-- Of how many rows of the original is it known what was made of them? One row.
SELECT COUNT(*) AS kept FROM kept
