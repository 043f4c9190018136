-- Forgets the histograms of failing classes and of least classes of the selected observations.
-- after: observations_select
DELETE FROM observation_models WHERE observation_id IN (SELECT id FROM selected_observations)
