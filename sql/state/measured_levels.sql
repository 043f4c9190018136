-- The numbers of levels that nodes are at. One row: a number with the column, content hash, number and name of a level.
-- $levels = ['["age","a1",0,"value"]']
-- after: measured_levels_insert
SELECT m.id, m.column_name, m.level_hash, m.level, m.level_name
FROM json_each($levels) AS l
JOIN measured_levels AS m
  ON m.column_name = JSON_EXTRACT(l.value, '$[0]') AND m.level_hash = JSON_EXTRACT(l.value, '$[1]')
 AND m.level = JSON_EXTRACT(l.value, '$[2]') AND m.level_name = JSON_EXTRACT(l.value, '$[3]')
