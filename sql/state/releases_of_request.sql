-- The releases of a request. One row: a release, the latest first.
-- $request_id = 1
SELECT id FROM releases WHERE request_id = $request_id ORDER BY id DESC
