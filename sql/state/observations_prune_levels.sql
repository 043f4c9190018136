-- Forgets the levels of the selected observations.
-- after: observations_select
DELETE FROM observation_levels WHERE observation_id IN (SELECT id FROM selected_observations)
