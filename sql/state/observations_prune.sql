-- Forgets the selected observations.
-- after: observations_prune_models
DELETE FROM observations WHERE id IN (SELECT id FROM selected_observations)
