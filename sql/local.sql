-- Local recoding.

-- name: shown
-- The label of each cell of one attribute at one level between its values and `*`. One row is one cell. The statements
-- of all levels are joined by UNION ALL.
-- $classes_1 = [0, 1, 2]
-- $labels_1 = ['E', 'W', NULL]
SELECT DISTINCT keys.cell, 1 AS level, labels.label
FROM keys
JOIN (SELECT UNNEST($classes_1) AS class, CAST(UNNEST($labels_1) AS VARCHAR) AS label) AS labels ON keys.level = labels.class;

-- name: placed
-- The combinations that rounds release. One row is one combination, with its round.
SELECT placed.combo, placed.round FROM local_placed AS placed;

-- name: seen
-- The release as a reader sees it, with the persons, who are not shown. One row is one combination.
SELECT * FROM decided WHERE NOT decided.suppressed;

-- name: counted
-- The dataset, counted for local recoding: the one query to the source, after which everything is added up. One row is
-- one combination of cells and of the values that are released as they are (of one person, where persons are
-- distinguished).
SELECT keys.cell AS qi, dataset.kept AS kept, dataset.id AS person, COUNT(*) AS n
FROM dataset
LEFT JOIN keys ON dataset.code IS NOT DISTINCT FROM keys.key
GROUP BY keys.cell, dataset.kept, dataset.id;

-- name: combos
-- The combinations of cells, numbered, with their rows and with the class of each cell at every level. One row is one
-- combination.
SELECT ROW_NUMBER() OVER () AS combo, combination.cell, combination.n, keys.level AS level
FROM (
  SELECT local_counted.cell, SUM(local_counted.n) AS n FROM local_counted GROUP BY local_counted.cell
) AS combination
JOIN (SELECT DISTINCT keys.cell, keys.level FROM keys) AS keys ON combination.cell = keys.cell;

-- name: remaining
-- The combinations still to be released: at first all. One row is one combination of cells with one sensitive value (of
-- one person, where persons are distinguished).
SELECT combos.combo, combos.level, counted.person, sensitive.cell AS code, SUM(counted.n) AS n
FROM local_counted AS counted
JOIN local_combos AS combos ON counted.cell = combos.cell
JOIN sensitive ON counted.kept IS NOT DISTINCT FROM sensitive.key
GROUP BY combos.combo, combos.level, counted.person, sensitive.cell;

-- name: nothing_placed
-- The list of released combinations before the first round: empty. One row is one combination, with its round.
SELECT combos.combo, 0 AS round FROM local_combos AS combos WHERE FALSE;

-- name: round_figures
-- The figures of a round's release. One row: classes, rows.
SELECT COUNT(DISTINCT part.class) AS classes, COALESCE(SUM(part.n), 0) AS n FROM local_round AS part;

-- name: place
-- Notes the combinations that a round releases.
-- $round = 1
INSERT INTO local_placed SELECT part.combo, $round FROM local_round AS part;

-- name: rest
-- The combinations that a round leaves to be released. One row is one combination of cells with one sensitive value (of
-- one person).
SELECT remaining.*
FROM local_remaining AS remaining
WHERE NOT EXISTS (SELECT 1 FROM local_round AS part WHERE part.combo = remaining.combo);

-- name: placed_until
-- The released combinations without those of later rounds. One row is one combination, with its round.
-- $round = 1
SELECT placed.combo, placed.round FROM local_placed AS placed WHERE placed.round <= $round;

-- name: unplaced
-- The combinations still to be released after some rounds. One row is one combination of cells with one sensitive value
-- (of one person).
SELECT remaining.*
FROM local_remaining AS remaining
WHERE NOT EXISTS (SELECT 1 FROM local_placed AS placed WHERE placed.combo = remaining.combo);

-- name: combination_units
-- The keyed set that decides on regions in memory. One row is one combination of cells with one sensitive value (of one
-- person, where persons are distinguished, who are numbered).
SELECT remaining.combo, DENSE_RANK() OVER (ORDER BY remaining.person NULLS FIRST) - 1 AS person, remaining.code, remaining.n
FROM local_remaining AS remaining;

-- name: passing
-- The combinations that a round releases, without the classes that fail a model. One row is one combination of cells.
SELECT part.combo, part.class, part.n
FROM local_round AS part
WHERE NOT EXISTS (SELECT 1 FROM suppressed AS failing WHERE failing.class = part.class);

-- name: check
-- The classes of a node that are large enough among the combinations still to be released, and the size of the others.
-- One row: the classes that are large enough, and the rows (or persons, class by class) of those that are too small.
SELECT
  0 AS node,
  COALESCE(SUM(CASE WHEN class.size >= 2 THEN 1 ELSE 0 END), 0) AS classes,
  COALESCE(SUM(CASE WHEN class.size < 2 THEN class.size ELSE 0 END), 0) AS too_small
FROM (
  SELECT SUM(remaining.n) AS size, COUNT(DISTINCT remaining.person) AS persons
  FROM local_remaining AS remaining
  GROUP BY remaining.level
) AS class;

-- name: round
-- The combinations that one round releases: the classes of its node that are large enough among the remaining ones. One
-- row is one combination of cells, with its class (named by the least of its combinations) and its rows.
SELECT remaining.combo, class.class, SUM(remaining.n) AS n
FROM local_remaining AS remaining
JOIN (
  SELECT
    MIN(remaining.combo) AS class,
    remaining.level,
    SUM(remaining.n) AS size,
    COUNT(DISTINCT remaining.person) AS persons
  FROM local_remaining AS remaining
  GROUP BY remaining.level
) AS class ON remaining.level = class.level
WHERE class.size >= 2
GROUP BY remaining.combo, class.class;

-- name: class_sizes
-- The persons of each class of a round. One row is one class.
SELECT part.class, COUNT(DISTINCT remaining.person) AS size
FROM local_remaining AS remaining
JOIN local_round AS part ON remaining.combo = part.combo
GROUP BY part.class;

-- name: class_values
-- The frequency of each value of a sensitive attribute in each class of a round. One row is one value in one class.
SELECT part.class, remaining.code AS value, SUM(remaining.n) AS n, COUNT(DISTINCT remaining.person) AS persons
FROM local_remaining AS remaining
JOIN local_round AS part ON remaining.combo = part.combo
GROUP BY part.class, remaining.code;

-- name: cells
-- The combinations of cells with their rows, for the partition. One row is one combination.
SELECT combos.combo, combos.cell, combos.n FROM local_combos AS combos ORDER BY combos.combo;

-- name: units
-- The number of rows, and of persons where persons are distinguished, in the dataset or in the rest of it. One row.
SELECT COALESCE(SUM(counted.n), 0) AS n, COUNT(DISTINCT counted.person) AS persons FROM local_counted AS counted;

-- name: cell_rows
-- The rows that each round releases of each cell of one attribute. One row is one cell in one round, NULL for the
-- suppressed ones. The statements of all attributes are joined by UNION ALL, each row marked with its attribute.
SELECT 0 AS attribute, placed.round, combos.cell, SUM(combos.n) AS n
FROM local_combos AS combos
LEFT JOIN local_placed AS placed ON combos.combo = placed.combo
GROUP BY placed.round, combos.cell;

-- name: classes_of_cells
-- The classes that each cell of one attribute belongs to. One row is one cell.
SELECT DISTINCT keys.cell, keys.level FROM keys;

-- name: levels
-- The levels of each round. One row is one round.
-- $rounds = [1, 2]
-- $level = [0, 1]
SELECT UNNEST($rounds) AS round, UNNEST($level) AS level;

-- name: decided
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
LEFT JOIN local_shown AS shown ON counted.cell = shown.cell AND levels.level = shown.level;

-- name: label_classes
-- The classes of a release as a reader sees them. One row is one class: its labels, as texts, and its rows.
SELECT CAST(decided.value AS VARCHAR) AS label, SUM(decided.n) AS n
FROM decided
WHERE NOT decided.suppressed
GROUP BY decided.value;
