-- Notes a certificate that was written.
-- $request_id = NULL
-- $path = 'why.json'
-- $sha256 = 'c0c0'
-- $written_at = TIMESTAMP '2025-01-31 12:00:00'
INSERT INTO certificates (request_id, path, sha256, written_at) VALUES ($request_id, $path, $sha256, $written_at)
