-- Chances that were forecast, and what came out. One row: a request that ran to its end, with the last forecast given of
-- it before; the latest first. $dataset_name NULL: of every dataset. Looked at are the $noted forecasts noted last.
-- $dataset_name = 'members'
-- $noted = 10000
-- $most = 10000
WITH noted AS (
    SELECT id, request_hash, made_at, chance, proved
    FROM forecasts
    WHERE ($dataset_name IS NULL OR dataset_name = $dataset_name)
      AND id > COALESCE((
          SELECT id
          FROM forecasts
          WHERE $dataset_name IS NULL OR dataset_name = $dataset_name
          ORDER BY id DESC
          LIMIT 1 OFFSET $noted
      ), 0)
), met AS (
    SELECT noted.id AS forecast_id, MIN(requests.id) AS request_id
    FROM noted
    JOIN requests ON requests.request_hash = noted.request_hash AND requests.started_at >= noted.made_at
    WHERE requests.status IN ('released', 'refused')
    GROUP BY noted.id
), last_before AS (
    SELECT MAX(forecast_id) AS forecast_id, request_id
    FROM met
    GROUP BY request_id
    ORDER BY request_id DESC
    LIMIT $most
)
SELECT noted.id AS forecast_id, requests.id AS request_id, noted.chance, noted.proved,
       requests.status = 'released' AS "passed [BOOLEAN]"
FROM last_before
JOIN noted ON noted.id = last_before.forecast_id
JOIN requests ON requests.id = last_before.request_id
ORDER BY requests.id DESC
