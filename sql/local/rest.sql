-- The combinations that a round leaves to be released. One row is one combination of cells with one sensitive value (of
-- one person).
SELECT remaining.*
FROM local_remaining AS remaining
WHERE NOT EXISTS (SELECT 1 FROM local_round AS part WHERE part.combo = remaining.combo)
