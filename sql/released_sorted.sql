-- The release in the order of its own columns, which reveals nothing of the order of the source. One row is one
-- combination.
SELECT released.value, released.n FROM released ORDER BY released.value NULLS FIRST
