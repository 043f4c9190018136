-- A request, to ask it again. One row at most: the request as canonical JSON, NULL where it was not kept.
-- $id = 1
SELECT request FROM requests WHERE id = $id
