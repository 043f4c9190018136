-- Forgets the seals of rows that a transaction erased, a place a row: its table, owner and part of the key.
-- $seals = ['["requests",1,""]']
DELETE FROM seals
WHERE (table_name, owner, part) IN (
    SELECT JSON_EXTRACT(value, '$[0]'), JSON_EXTRACT(value, '$[1]'), JSON_EXTRACT(value, '$[2]') FROM json_each($seals)
)
