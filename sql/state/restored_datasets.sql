-- Fills the datasets of a restored state with those of the copy, each with the persons that one of its name since counts,
-- where it counts rows; those that were added since are there as removed.
-- $removed_at = TIMESTAMP '2025-02-01 12:00:00'
-- after: attach_state, attach_restored, restored_sources
INSERT INTO datasets
SELECT b.* REPLACE (
    COALESCE(
        b.entity_column,
        (SELECT ARG_MAX(s.entity_column, s.id) FROM ordermade_state.datasets AS s WHERE s.name = b.name AND s.id > b.id)
    ) AS entity_column
)
FROM ordermade_restored.datasets AS b
UNION ALL
SELECT s.* REPLACE (COALESCE(s.removed_at, $removed_at) AS removed_at)
FROM ordermade_state.datasets AS s
ANTI JOIN ordermade_restored.datasets AS b USING (id)
