-- Fills the sources of a restored state with those of the copy, each with no right that one of its name since has not;
-- those that were added since are there as removed.
-- $removed_at = TIMESTAMP '2025-02-01 12:00:00'
-- after: attach_state, attach_restored
INSERT INTO sources
SELECT b.* REPLACE (
    b.writable AND NOT EXISTS (
        SELECT 1 FROM ordermade_state.sources AS s WHERE s.name = b.name AND s.id >= b.id AND NOT s.writable
    ) AS writable,
    b.allow_inline AND NOT EXISTS (
        SELECT 1 FROM ordermade_state.sources AS s WHERE s.name = b.name AND s.id >= b.id AND NOT s.allow_inline
    ) AS allow_inline,
    b.allow_external AND NOT EXISTS (
        SELECT 1
        FROM ordermade_state.sources AS s
        WHERE s.name = b.name AND s.id >= b.id AND NOT COALESCE(s.allow_external, FALSE)
    ) AS allow_external
)
FROM ordermade_restored.sources AS b
UNION ALL
SELECT s.* REPLACE (COALESCE(s.removed_at, $removed_at) AS removed_at)
FROM ordermade_state.sources AS s
ANTI JOIN ordermade_restored.sources AS b USING (id)
