-- Has a list of offers be of the refused request that it was offered to last.
-- $request_id = 1
-- $dataset_version_id = 7
-- $list_hash = 'e0e0'
-- $engine_version = '0.1.0'
-- after: offer_list_insert
UPDATE offer_lists
SET request_id = $request_id
WHERE dataset_version_id = $dataset_version_id AND list_hash = $list_hash AND engine_version = $engine_version
