-- Notes what Mondrian comes to for a refused request on a dataset version.
-- $dataset_version_id = 7
-- $list_hash = 'e0e0'
-- $engine_version = '0.1.0'
-- $variant = 'hierarchy'
-- $k = 5
-- $divisions = 40
-- $losses = '{"loss":0.25}'
INSERT INTO mondrian_offers (dataset_version_id, list_hash, engine_version, variant, k, divisions, losses)
VALUES ($dataset_version_id, $list_hash, $engine_version, $variant, $k, $divisions, $losses)
