-- The list of offers that this engine made for a refused request on a dataset version. One row at most: the offers and
-- how the list falls short, as JSON.
-- $dataset_version_id = 7
-- $list_hash = 'e0e0'
-- $engine_version = '0.1.0'
-- after: offer_list_insert
SELECT offers, left_out
FROM offer_lists
WHERE dataset_version_id = $dataset_version_id AND list_hash = $list_hash AND engine_version = $engine_version
ORDER BY id DESC
LIMIT 1
