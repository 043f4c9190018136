-- Stores the information loss of a release; the lists run in parallel, one place a metric.
-- $release_id = 1
-- $metric = ['prec']
-- $value = [0.5]
-- after: release_insert
INSERT INTO release_losses (release_id, metric, value)
VALUES ($release_id, $metric, $value)
