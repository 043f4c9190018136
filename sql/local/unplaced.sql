-- The combinations still to be released after some rounds. One row is one combination of cells with one sensitive value
-- (of one person).
SELECT remaining.*
FROM local_remaining AS remaining
WHERE NOT EXISTS (SELECT 1 FROM local_placed AS placed WHERE placed.combo = remaining.combo)
