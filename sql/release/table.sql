-- Tables and views of a release.

-- name: mark
-- Marks a table as a release of the engine's own, so that a later release may take its place. Gives no row.
COMMENT ON TABLE released IS 'release of ordermade';

-- name: create
-- Writes a staged release into a writable source, inside a transaction that is measured before it commits. One row is one
-- person, or one class of a statistical table.
CREATE TABLE released_members AS SELECT released.value FROM released;

-- name: drop
-- Drops an earlier release of the engine's own in a writable source, before its successor is written.
DROP TABLE IF EXISTS released_members;

-- name: live_view
-- A view that follows a table: the rows whose class has k rows now, generalised as a release was. One row is one row of the
-- table. Values that the list of a column does not have give no row.
SELECT counted.value
FROM (
  SELECT labelled.value, COUNT(*) OVER (PARTITION BY labelled.value) AS n
  FROM (
    SELECT CASE WHEN dataset.code IS NULL THEN 'unknown' ELSE labels.label END AS value, dataset.kept AS kept
    FROM dataset
    LEFT JOIN labels ON dataset.code = labels.key
    WHERE dataset.code IS NULL OR labels.key IS NOT NULL
  ) AS labelled
) AS counted
WHERE counted.n >= 2;

-- name: live_own_values
-- The values that a column has, each its own label. One row is one value.
SELECT DISTINCT keys.key, keys.key AS label FROM keys;

-- name: live_label_of_null
-- The label of NULL, where a column has it. One row at most.
SELECT labels.label FROM labels WHERE labels.key IS NULL;

-- name: live_labels
-- The values of a column that have a label at a level, without NULL, in their order. One row is one value.
SELECT labels.key, labels.label FROM labels WHERE labels.key IS NOT NULL
ORDER BY labels.key;
