-- Notes the seals of rows that a transaction wrote, a place a row: its table, owner, part of the key and seal.
-- $seals = ['["requests",1,"",42]']
INSERT INTO seals (table_name, owner, part, seal)
SELECT JSON_EXTRACT(value, '$[0]'), JSON_EXTRACT(value, '$[1]'), JSON_EXTRACT(value, '$[2]'), JSON_EXTRACT(value, '$[3]')
FROM json_each($seals)
WHERE TRUE
ON CONFLICT (table_name, owner, part) DO UPDATE SET seal = EXCLUDED.seal
