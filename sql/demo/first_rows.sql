-- The first rows of a written release. One row is one row of the release.
SELECT released.* FROM released LIMIT 5
