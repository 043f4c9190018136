-- The histograms that table C has beside the class sizes of a dataset version's nodes, for k alone and for these
-- models. One row: an observation and a hash of models (empty: k alone), with histograms of failing classes, of the
-- least class of a person, and of what finer nodes can keep of failing classes.
-- $dataset_version_id = 7
-- $models_hash = ['', 'b1b1']
SELECT m.observation_id, m.models_hash, m.failing_sizes, m.failing_counts, m.least_sizes, m.least_counts,
       m.keepable_units, m.keepable_counts
FROM observation_models AS m
JOIN observations AS o ON o.id = m.observation_id
WHERE o.dataset_version_id = $dataset_version_id AND m.models_hash IN (SELECT value FROM json_each($models_hash))
