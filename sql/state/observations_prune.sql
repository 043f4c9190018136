-- Forgets the selected observations; their levels are forgotten before, in the same transaction.
-- after: observations_prune_levels, observations_prune_models
DELETE FROM observations WHERE id IN (SELECT id FROM selected_observations)
