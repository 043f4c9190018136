-- Frequency sets and the k-check.

-- name: table_values
-- The distribution of a sensitive attribute over the whole dataset. One row is one value by its number: n rows (or
-- persons) have it.
SELECT sensitive.cell AS value, sensitive.n FROM sensitive;

-- name: missing_value
-- The number of NULL among the values of a sensitive attribute. One row; none where no row of the dataset has it.
SELECT sensitive.cell AS value FROM sensitive WHERE sensitive.key IS NULL;

-- name: person_counts
-- The numbers of rows and persons of the dataset, and of rows without a person. One row.
SELECT
  COALESCE(SUM(persons.n), 0) AS n,
  COUNT(persons.key) AS persons,
  COALESCE(SUM(CASE WHEN persons.key IS NULL THEN persons.n ELSE 0 END), 0) AS without_person
FROM persons;

-- name: persons
-- The persons of the dataset, where one may have several rows. One row is one person: a number instead of the
-- identifying value (any order will do), and the rows. The source runs the subquery `counted`.
SELECT counted.key, ROW_NUMBER() OVER () AS code, counted.n
FROM (SELECT dataset.id AS key, COUNT(*) AS n FROM dataset GROUP BY dataset.id) AS counted;

-- name: sensitive_values
-- The frequency of each value of a sensitive attribute in the whole dataset. One row is one value. Where persons are
-- counted, n is COUNT(DISTINCT …) of them.
SELECT dataset.qi AS key, COUNT(*) AS n
FROM dataset
GROUP BY dataset.qi;

-- name: sensitive_cells
-- The values of a sensitive attribute, numbered in their order, NULL last. One row is one value: its number, and the
-- rows (or persons) of the whole dataset with it.
SELECT marginal.key, ROW_NUMBER() OVER (ORDER BY marginal.key NULLS LAST) - 1 AS cell, marginal.n
FROM marginal;

-- name: sensitive_levels
-- The places of a sensitive attribute's values in a hierarchy. One row is one value at one level, with the number of
-- its class there. The statements of all levels below `*` are joined by UNION ALL.
SELECT sensitive.cell AS value, 0 AS level, keys.level AS ancestor
FROM sensitive
JOIN keys ON sensitive.key IS NOT DISTINCT FROM keys.key;

-- name: widen
-- The frequency set with the class of every cell at every coarser level beside it, so that a k-check needs no join.
-- One row is one combination of cells.
SELECT frequency_set.n, keys.level AS level
FROM frequency_set
JOIN (SELECT DISTINCT keys.cell, keys.level FROM keys) AS keys ON frequency_set.qi = keys.cell;

-- name: frequency_set
-- The frequency set of the dataset: the number of rows with each combination of cells. One row is one combination. The
-- one heavy query of a request: it joins the hierarchies once, in the source; everything after it only adds its counts
-- up.
SELECT keys.cell AS qi, COUNT(*) AS n
FROM dataset
LEFT JOIN keys ON dataset.code IS NOT DISTINCT FROM keys.key
GROUP BY keys.cell;

-- name: frequency_set_of_persons
-- The frequency set of persons: the number of rows of each person with each combination of cells. One row is one
-- combination of one person. The one heavy query of a request where persons are counted: distinct persons do not add
-- up, so they stay apart.
SELECT persons.code AS person, keys.cell AS qi, COUNT(*) AS n
FROM dataset
JOIN persons ON dataset.id = persons.key
LEFT JOIN keys ON dataset.code IS NOT DISTINCT FROM keys.key
GROUP BY persons.code, keys.cell;

-- name: k_check
-- The k-check of a node: the histogram of its class sizes, which answers every k. One row is one class size, with the
-- number of classes of that size. `frequency_set` is the stored one or a smaller, finer roll-up of it.
SELECT 0 AS node, class.size, COUNT(*) AS classes
FROM (
  SELECT SUM(frequency_set.n) AS size
  FROM frequency_set
  GROUP BY frequency_set.qi
) AS class
GROUP BY class.size;

-- name: packed
-- The frequency set with the classes of every combination at every level packed: side by side in the bits of a number (of
-- several, where one is too short). One row is one combination of cells.
SELECT frequency_set.n, keys.word AS word
FROM frequency_set
JOIN (SELECT DISTINCT keys.cell, CAST(keys.level AS BIGINT) << 0 AS word FROM keys) AS keys ON frequency_set.qi = keys.cell;

-- name: value_bits
-- The values of a sensitive attribute as bits of a number (of several, where one is too short), by which different ones are
-- counted. One row is one combination of cells with one value.
SELECT
  CASE WHEN frequency_set.cell BETWEEN 0 AND 61
    THEN CAST(1 AS BIGINT) << (CAST(frequency_set.cell AS BIGINT) - 0) ELSE 0 END AS value
FROM frequency_set;

-- name: k_checks
-- The k-checks of many nodes in one pass: the histogram of the class sizes of each, which answers every k. A node is a
-- number and a mask, the bits of its levels; two combinations are in one class of a node if they are equal in these bits.
-- One row is one class size of one node, with the number of classes of that size.
SELECT class.node, class.size, COUNT(*) AS classes
FROM (
  SELECT node.number AS node, CAST(SUM(packed.n) AS BIGINT) AS size
  FROM packed
  CROSS JOIN (VALUES (0, 15)) AS node(number, word)
  GROUP BY node.number, packed.word & node.word
) AS class
GROUP BY class.node, class.size;

-- name: k_checks_failing
-- The k-checks of many nodes with distinct l-diversity in one pass. One row is one class size of one node, of the classes
-- that fail (`other` is 1) or of those that do not, with the number of these classes. Part 0 is the histogram of classes.
SELECT class.node, 0 AS part, class.size, class.fails AS other, COUNT(*) AS n
FROM (
  SELECT
    node.number AS node,
    CAST(SUM(packed.n) AS BIGINT) AS size,
    CASE WHEN CAST(BIT_COUNT(BIT_OR(packed.value)) AS INTEGER) < 2 THEN 1 ELSE 0 END AS fails
  FROM packed
  CROSS JOIN (VALUES (0, 15)) AS node(number, word)
  GROUP BY node.number, packed.word & node.word
) AS class
GROUP BY class.node, class.size, class.fails;

-- name: fitting_sizes
-- The sizes of a node's classes, where one that fails distinct l-diversity counts as of size 0. One row is one class.
SELECT
  packed.word & 15 AS word,
  CASE WHEN CAST(BIT_COUNT(BIT_OR(packed.value)) AS INTEGER) < 2 THEN 0 ELSE SUM(packed.n) END AS size
FROM packed
GROUP BY packed.word & 15;

-- name: packed_rows_of_sizes
-- The rows of many nodes in classes of the sizes in HAVING, by the classes of each attribute: those suppressed for k, or
-- the others. A field is a node by number, one of its attributes below `*`, and the bits of its level. One row is one
-- class of one attribute at one node: the rows in it.
SELECT of_size.node, field.attribute, (of_size.word & field.word) >> field.start AS class, SUM(of_size.n) AS n
FROM (
  SELECT node.number AS node, packed.word & node.word AS word, SUM(packed.n) AS n
  FROM packed
  CROSS JOIN (VALUES (0, 15)) AS node(number, word)
  GROUP BY node.number, packed.word & node.word
  HAVING SUM(packed.n) BETWEEN 0 AND 4
) AS of_size
JOIN (VALUES (0, 0, 0, 3), (0, 1, 2, 12)) AS field(node, attribute, start, word) ON field.node = of_size.node
GROUP BY of_size.node, field.attribute, (of_size.word & field.word) >> field.start;

-- name: packed_roll_up
-- A smaller packed set from a finer one: the bits of what is finer than a node are cleared. One row is one combination of
-- classes of the node.
SELECT packed.word & 15 AS word, CAST(SUM(packed.n) AS BIGINT) AS n
FROM packed
GROUP BY packed.word & 15;

-- name: packed_roll_up_of_values
-- The same with the values of a sensitive attribute as bits. One row is one combination of classes of the node, with a bit
-- for each value that occurs in it.
SELECT packed.word & 15 AS word, CAST(SUM(packed.n) AS BIGINT) AS n, BIT_OR(packed.value) AS value
FROM packed
GROUP BY packed.word & 15;

-- name: roll_up
-- A smaller frequency set from a finer one. One row is one combination of classes.
SELECT frequency_set.qi AS qi, SUM(frequency_set.n) AS n
FROM frequency_set
GROUP BY frequency_set.qi;

-- name: source_k_check
-- The k-check of a node that the source itself runs, without a stored frequency set (the PAK paper's query1 and
-- query2). One row is one class size, with the number of classes of that size.
SELECT 0 AS node, class.size, COUNT(*) AS classes
FROM (
  SELECT COUNT(*) AS size
  FROM dataset
  LEFT JOIN keys ON dataset.code IS NOT DISTINCT FROM keys.key
  GROUP BY keys.level
) AS class
GROUP BY class.size;

-- name: cached_columns
-- A cached frequency set with its columns in the order of this request. One row is one combination of cells.
SELECT frequency_set.cell AS qi, frequency_set.n FROM frequency_set;

-- name: most_combinations
-- The number of combinations of the person with the most. One row.
SELECT MAX(one.combinations) AS combinations
FROM (SELECT COUNT(*) AS combinations FROM frequency_set GROUP BY frequency_set.person) AS one;

-- name: combinations
-- The frequency set of persons with the persons added up. One row is one combination of cells: n persons have it, a
-- person counted once for each combination that is theirs; `rows` rows have it.
SELECT frequency_set.qi, COUNT(*) AS n, CAST(SUM(frequency_set.n) AS BIGINT) AS rows
FROM frequency_set
GROUP BY frequency_set.qi;

-- name: worded
-- The combinations of persons with several, packed. One row is one combination of one `person`, who has so many
-- `combinations`; its cells' classes at every level are side by side in the bits of a number (of several, where one is too
-- short).
SELECT frequency_set.person, several.combinations, keys.cell AS word
FROM frequency_set
JOIN (
  SELECT frequency_set.person, COUNT(*) AS combinations
  FROM frequency_set
  GROUP BY frequency_set.person
  HAVING COUNT(*) > 1
) AS several ON several.person = frequency_set.person
JOIN keys ON frequency_set.qi = keys.cell;

-- name: key_words
-- The classes of every cell of one quasi-identifier, packed: one row is one cell, its classes at some levels side by side in
-- the bits of a number.
SELECT DISTINCT keys.cell, CAST(keys.level AS BIGINT) << 0 AS word FROM keys;

-- name: repeated
-- The earlier combinations of the same person that share a class with a combination, attribute by attribute and level
-- by level. One row is one combination that is not the first of its person, packed; one bit is one earlier combination.
-- Where the bits of all attributes of a node have one in common, the person is in that class already. The difference of
-- two combinations is zero in the bits of every class that they share.
SELECT later.word, CASE WHEN later.apart & 7 = 0 THEN 1 ELSE 0 END AS repeated
FROM (
  SELECT
    worded.word,
    ROW_NUMBER() OVER person AS place,
    XOR(worded.word, LAG(worded.word, 1) OVER person) AS apart
  FROM worded
  WHERE worded.combinations <= 16
  WINDOW person AS (PARTITION BY worded.person ORDER BY worded.word)
) AS later
WHERE later.place > 1;

-- name: owned_at_node
-- The combinations in the classes of a node with their persons. One row is one combination of a person with several
-- (`owner`), or one that n persons have (NULL), of whom those with several are taken off again.
SELECT CAST(NULL AS BIGINT) AS owner, frequency_set.n, frequency_set.qi FROM frequency_set
UNION ALL
SELECT CAST(NULL AS BIGINT) AS owner, -1 AS n, part.word AS qi FROM worded AS part
UNION ALL
SELECT part.person AS owner, 1 AS n, part.word AS qi FROM worded AS part;

-- name: repeated_at_node
-- The excess of each class of a node, where persons are counted by adding up their combinations. One row is one class:
-- the combinations of persons who are in it already, as a negative count. To be joined to the frequency set by UNION
-- ALL.
SELECT part.n, part.word AS qi
FROM (
  SELECT -COUNT(*) AS n, repeated.word & 7 AS word
  FROM repeated
  WHERE repeated.repeated <> 0
  GROUP BY repeated.word & 7
) AS part;

-- name: many_at_node
-- The excess of combinations over persons in each class of a node, for persons with too many combinations to compare
-- them two by two: they are counted one by one. One row is one class: the excess, as a negative count.
SELECT part.n, part.word AS qi
FROM (
  SELECT COUNT(DISTINCT worded.person) - COUNT(*) AS n, worded.word & 7 AS word
  FROM worded
  WHERE worded.combinations > 16
  GROUP BY worded.word & 7
) AS part;
