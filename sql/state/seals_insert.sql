-- Notes the seals of rows that a transaction wrote; the lists run in parallel, one place a row.
-- $table_name = ['requests']
-- $owner = [1]
-- $part = ['']
-- $seal = [12345678901234567890]
INSERT INTO seals (table_name, owner, part, seal)
VALUES ($table_name, $owner, $part, $seal)
ON CONFLICT (table_name, owner, part) DO UPDATE SET seal = EXCLUDED.seal
