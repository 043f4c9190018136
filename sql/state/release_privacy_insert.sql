-- Stores the privacy of a release beyond k; the lists run in parallel, one place a figure in order.
-- $release_id = 1
-- $position = [0]
-- $column_name = ['diagnosis']
-- $figure = ['distinct_l {l: 3}']
-- $value = [3.0]
-- $model = ['distinct_l']
-- $parameter_names = [['l']]
-- $parameter_values = [['3']]
-- after: release_insert
INSERT INTO release_privacy
    (release_id, position, column_name, figure, value, model, parameter_names, parameter_values)
VALUES ($release_id, $position, $column_name, $figure, $value, $model, $parameter_names, $parameter_values)
