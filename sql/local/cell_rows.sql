-- The rows that each round releases of each cell of one attribute. One row is one cell in one round, NULL for the
-- suppressed ones. The statements of all attributes are joined by UNION ALL, each row marked with its attribute.
SELECT 0 AS attribute, placed.round, combos.cell, SUM(combos.n) AS n
FROM local_combos AS combos
LEFT JOIN local_placed AS placed ON combos.combo = placed.combo
GROUP BY placed.round, combos.cell
