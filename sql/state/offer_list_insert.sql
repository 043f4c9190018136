-- Keeps the list of offers that was made for a refused request on a dataset version.
-- $request_id = 1
-- $dataset_version_id = 7
-- $list_hash = 'e0e0'
-- $engine_version = '0.1.0'
-- $offers = '[]'
-- $left_out = '[]'
-- after: version_insert, request_insert
INSERT INTO offer_lists (request_id, dataset_version_id, list_hash, engine_version, offers, left_out)
VALUES ($request_id, $dataset_version_id, $list_hash, $engine_version, $offers, $left_out)
