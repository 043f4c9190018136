-- Adds levels of columns that nodes are at; each is column, content hash, number and name. One row: a level, as added.
-- $levels = ['["age","a1",0,"value"]']
INSERT INTO measured_levels (column_name, level_hash, level, level_name)
SELECT JSON_EXTRACT(value, '$[0]'), JSON_EXTRACT(value, '$[1]'), JSON_EXTRACT(value, '$[2]'), JSON_EXTRACT(value, '$[3]')
FROM json_each($levels)
RETURNING id, column_name, level_hash, level, level_name
