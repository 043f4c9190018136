-- The number of rows of a release, with those that are deleted. One row.
SELECT COUNT(*) AS written FROM release_read
