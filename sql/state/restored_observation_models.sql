-- The further counts of measured nodes in a restored state: those of the backup that were not erased since, of nodes
-- that were not. One row: a node and a hash of models.
-- after: attach_state, attach_restored
INSERT INTO main.observation_models
SELECT b.*
FROM ordermade_restored.observation_models AS b
JOIN ordermade_state.observation_models AS s USING (observation_id, models_hash)
WHERE b.observation_id IN (SELECT o.id FROM main.observations AS o)
