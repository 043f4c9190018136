-- Notes a forecast that was given of a request. One row: its number.
-- $request_hash = 'e0e0'
-- $dataset_name = 'members'
-- $dataset_version_id = NULL
-- $predictor = 'dependence'
-- $chance = 0.8
-- $proved = FALSE
-- $k = 12.0
-- $questions = 4.5
-- $seconds = 1.5
-- $levels = '{"age":[1,"decade"]}'
-- $made_at = TIMESTAMP '2025-01-31 12:00:00'
INSERT INTO forecasts (request_hash, dataset_name, dataset_version_id, predictor, chance, proved, k, questions, seconds, levels,
                       made_at)
VALUES ($request_hash, $dataset_name, $dataset_version_id, $predictor, $chance, $proved, $k, $questions, $seconds, $levels, $made_at)
RETURNING id
