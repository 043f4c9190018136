-- Notes the seals of rows that a transaction wrote; the lists run in parallel, one place a row.
-- $table_name = ['requests']
-- $owner = [1]
-- $part = ['']
-- $seal = [12345678901234567890]
INSERT INTO seals (table_name, owner, part, seal)
SELECT UNNEST(CAST($table_name AS VARCHAR[])), UNNEST(CAST($owner AS BIGINT[])), UNNEST(CAST($part AS VARCHAR[])),
       UNNEST(CAST($seal AS UBIGINT[]))
