-- Adds the histograms of failing classes, of least classes and of what finer nodes can keep to measured nodes; the lists run
-- in parallel, one place a node and hash of models. A histogram that is there already stays; a missing one is filled in.
-- $observation_id = [1]
-- $models_hash = ['b1b1']
-- $failing_sizes = ['[400]']
-- $failing_counts = ['[1]']
-- $least_sizes = [NULL]
-- $least_counts = [NULL]
-- $keepable_units = ['[250]']
-- $keepable_counts = ['[1]']
-- after: observations_insert
INSERT INTO observation_models (observation_id, models_hash, failing_sizes, failing_counts, least_sizes, least_counts,
                                keepable_units, keepable_counts)
VALUES ($observation_id, $models_hash, $failing_sizes, $failing_counts, $least_sizes, $least_counts,
        $keepable_units, $keepable_counts)
ON CONFLICT (observation_id, models_hash) DO UPDATE SET
    failing_sizes = COALESCE(failing_sizes, EXCLUDED.failing_sizes),
    failing_counts = COALESCE(failing_counts, EXCLUDED.failing_counts),
    least_sizes = COALESCE(least_sizes, EXCLUDED.least_sizes),
    least_counts = COALESCE(least_counts, EXCLUDED.least_counts),
    keepable_units = COALESCE(keepable_units, EXCLUDED.keepable_units),
    keepable_counts = COALESCE(keepable_counts, EXCLUDED.keepable_counts)

