-- The combinations still to be released: at first all. One row is one combination of cells with one sensitive value (of
-- one person, where persons are distinguished).
SELECT combos.combo, combos.level, counted.person, sensitive.cell AS code, SUM(counted.n) AS n
FROM local_counted AS counted
JOIN local_combos AS combos ON counted.cell = combos.cell
JOIN sensitive ON counted.kept IS NOT DISTINCT FROM sensitive.key
GROUP BY combos.combo, combos.level, counted.person, sensitive.cell
