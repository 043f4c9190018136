-- Stores the levels that a forecast expects; the lists run in parallel, one place a column in order.
-- $forecast_id = 1
-- $position = [0]
-- $column_name = ['age']
-- $level = [2]
-- $level_name = ['10 years']
-- after: forecast_insert
INSERT INTO forecast_levels (forecast_id, position, column_name, level, level_name)
VALUES ($forecast_id, $position, $column_name, $level, $level_name)
