-- The figures of forecasts beside the chance, and what came out. One row: a forecast of $forecast_id, with the request that
-- it met, which is at the same place in $request_id; `levels` counts its columns that were released at some level.
-- $forecast_id = [1]
-- $request_id = [1]
-- after: request_finish
WITH met AS (
    SELECT f.value AS forecast_id, r.value AS request_id
    FROM json_each($forecast_id) AS f
    JOIN json_each($request_id) AS r ON r.key = f.key
), levels AS (
    SELECT met.forecast_id, COUNT(*) AS levels,
           SUM(CASE WHEN JSON_EXTRACT(c.value, '$[0]') = JSON_EXTRACT(e.value, '$[0]') THEN 1 ELSE 0 END) AS levels_right
    FROM met
    JOIN forecasts AS f ON f.id = met.forecast_id
    JOIN json_each(f.levels) AS e
    JOIN requests AS r ON r.id = met.request_id
    JOIN json_each(r.record, '$.chosen') AS c ON c.key = e.key
    GROUP BY met.forecast_id
), released AS (
    SELECT met.request_id, MAX(JSON_EXTRACT(releases.measured, '$.k')) AS k
    FROM met
    JOIN releases ON releases.request_id = met.request_id
    GROUP BY met.request_id
)
SELECT forecasts.k, released.k AS released_k, forecasts.questions, JSON_EXTRACT(requests.record, '$.nodes_measured') AS nodes_measured,
       forecasts.seconds, JSON_EXTRACT(requests.record, '$.seconds') AS took, COALESCE(levels.levels, 0) AS levels,
       COALESCE(levels.levels_right, 0) AS levels_right
FROM met
JOIN forecasts ON forecasts.id = met.forecast_id
JOIN requests ON requests.id = met.request_id
LEFT JOIN levels ON levels.forecast_id = met.forecast_id
LEFT JOIN released ON released.request_id = met.request_id
ORDER BY met.request_id DESC
