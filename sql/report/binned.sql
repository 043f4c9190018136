-- The rows in bins of numbers. One row is one bin that has any. The rows of a span are spread evenly over its extent;
-- those of a span with an open end are all in the bin beside its other end.
-- $numbers = [0, 1]
-- $lows = [-1e308, 10.0]
-- $highs = [10.0, 1e308]
SELECT
  bin.number,
  SUM(place.n * CASE WHEN place.high > place.low
    THEN (LEAST(place.high, bin.high) - GREATEST(place.low, bin.low)) / (place.high - place.low) ELSE 1.0 END) AS n
FROM place
JOIN (
  SELECT UNNEST($numbers) AS number, CAST(UNNEST($lows) AS DOUBLE) AS low, CAST(UNNEST($highs) AS DOUBLE) AS high
) AS bin
  ON (place.low IS NOT NULL AND (place.high IS NULL OR place.high <= place.low) AND place.low >= bin.low AND place.low < bin.high)
  OR (place.low IS NULL AND place.high > bin.low AND place.high <= bin.high)
  OR (place.high > place.low AND place.low < bin.high AND place.high > bin.low)
GROUP BY bin.number
