-- The release of local recoding, decided: every combination with the values that its round releases, or suppressed. One
-- row is one combination of cells and of the values that are released as they are (of one person).
SELECT
  CASE WHEN levels.level = 0 THEN CAST(counted.value AS VARCHAR) WHEN levels.level = 2 THEN '*' ELSE shown.label END AS value,
  counted.kept,
  counted.person,
  counted.n,
  levels.round IS NULL AS suppressed
FROM local_counted AS counted
JOIN local_combos AS combos ON counted.cell = combos.cell
LEFT JOIN local_placed AS placed ON combos.combo = placed.combo
LEFT JOIN local_levels AS levels ON placed.round = levels.round
LEFT JOIN local_shown AS shown ON counted.cell = shown.cell AND levels.level = shown.level
