-- Forecasts and what came out. One row: a request that ran to its end, with the last forecast given of it before; the
-- latest first. $dataset_name NULL: of every dataset.
-- $dataset_name = 'members'
-- $most = 10000
-- after: forecast_insert
WITH met AS (
    SELECT forecasts.id AS forecast_id, MIN(requests.id) AS request_id
    FROM forecasts
    JOIN requests ON requests.request_hash = forecasts.request_hash AND requests.started_at >= forecasts.made_at
    WHERE requests.status IN ('released', 'refused')
      AND ($dataset_name IS NULL OR forecasts.dataset_name = $dataset_name)
    GROUP BY forecasts.id
), last_before AS (
    SELECT MAX(forecast_id) AS forecast_id, request_id
    FROM met
    GROUP BY request_id
    ORDER BY request_id DESC
    LIMIT $most
)
SELECT forecasts.id, forecasts.dataset_name, forecasts.predictor, forecasts.chance, forecasts.proved, forecasts.k,
       forecasts.questions, forecasts.seconds, forecasts.made_at, requests.id AS request_id,
       requests.status = 'released' AS passed,
       (SELECT MAX(releases.k) FROM releases WHERE releases.request_id = requests.id) AS released_k,
       requests.nodes_measured, requests.seconds AS took
FROM last_before
JOIN forecasts ON forecasts.id = last_before.forecast_id
JOIN requests ON requests.id = last_before.request_id
ORDER BY requests.id DESC
