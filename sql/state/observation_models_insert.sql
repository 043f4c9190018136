-- Adds the histograms of failing classes, of least classes and of what finer nodes can keep to measured nodes; each is a list
-- in the order of the columns: a node and a hash of models. A histogram that is there already stays; a missing one is filled in.
-- $besides = '[]'
INSERT INTO observation_models (observation_id, models_hash, failing_sizes, failing_counts, least_sizes, least_counts,
                                keepable_units, keepable_counts)
SELECT JSON_EXTRACT(value, '$[0]'), JSON_EXTRACT(value, '$[1]'), JSON_EXTRACT(value, '$[2]'), JSON_EXTRACT(value, '$[3]'),
       JSON_EXTRACT(value, '$[4]'), JSON_EXTRACT(value, '$[5]'), JSON_EXTRACT(value, '$[6]'), JSON_EXTRACT(value, '$[7]')
FROM json_each($besides)
WHERE TRUE
ON CONFLICT (observation_id, models_hash) DO UPDATE SET
    failing_sizes = COALESCE(failing_sizes, EXCLUDED.failing_sizes),
    failing_counts = COALESCE(failing_counts, EXCLUDED.failing_counts),
    least_sizes = COALESCE(least_sizes, EXCLUDED.least_sizes),
    least_counts = COALESCE(least_counts, EXCLUDED.least_counts),
    keepable_units = COALESCE(keepable_units, EXCLUDED.keepable_units),
    keepable_counts = COALESCE(keepable_counts, EXCLUDED.keepable_counts)
