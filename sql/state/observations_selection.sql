-- Makes the list of selected observations, in memory. One row of it: the number of one.
CREATE TEMPORARY TABLE IF NOT EXISTS selected_observations (id INTEGER PRIMARY KEY)
