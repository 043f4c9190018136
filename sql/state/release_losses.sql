-- The information loss of a release. One row: a metric.
-- $release_id = 1
SELECT metric, value FROM release_losses WHERE release_id = $release_id ORDER BY metric
