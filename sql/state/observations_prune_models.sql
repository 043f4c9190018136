-- Forgets what else was counted at the observations that are meant.
-- after: observations_select
DELETE FROM observation_models WHERE observation_id IN (SELECT id FROM selected_observations)
