-- The combinations that a round releases, without the classes that fail a model. One row is one combination of cells.
SELECT part.combo, part.class, part.n
FROM local_round AS part
WHERE NOT EXISTS (SELECT 1 FROM suppressed AS failing WHERE failing.class = part.class)
