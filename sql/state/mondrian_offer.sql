-- What Mondrian comes to for a refused request on a dataset version, as this engine found it. One row at most: the first
-- variant that passes with its figures, NULL where none does.
-- $dataset_version_id = 7
-- $list_hash = 'e0e0'
-- $engine_version = '0.1.0'
-- after: mondrian_offer_insert
SELECT variant, k, divisions, losses
FROM mondrian_offers
WHERE dataset_version_id = $dataset_version_id AND list_hash = $list_hash AND engine_version = $engine_version
ORDER BY id DESC
LIMIT 1
