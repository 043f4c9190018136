-- The hash of the list of offers that this engine offered to a refused request last. One row at most.
-- $request_id = 1
-- $engine_version = '0.1.0'
-- after: offer_list_insert
SELECT list_hash
FROM offer_lists
WHERE request_id = $request_id AND engine_version = $engine_version
ORDER BY id DESC
LIMIT 1
