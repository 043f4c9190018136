-- Empties the list of selected observations.
-- after: observations_selection
DELETE FROM temp.selected_observations
