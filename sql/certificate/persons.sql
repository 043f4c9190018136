-- The persons with a row in a class below k, and those with one in a class that is below k or fails a model. One row.
-- $k = 3
SELECT
  COUNT(DISTINCT CASE WHEN sized.size < $k THEN part.person END) AS below,
  COUNT(DISTINCT CASE WHEN sized.size < $k OR sized.fails THEN part.person END) AS suppressed
FROM part
JOIN sized ON sized.class = part.class
