-- Fills the sources of a restored state with those of the copy, each with no right that one of its name since has not;
-- those that were added since are there as removed.
-- $removed_at = TIMESTAMP '2025-02-01 12:00:00'
-- after: attach_state, attach_restored
INSERT INTO main.sources (id, name, kind, location, writable, encoding, added_at, removed_at, header, allow_inline, allow_external)
SELECT b.id, b.name, b.kind, b.location,
       
       b.writable AND NOT EXISTS (
           SELECT 1 FROM ordermade_state.sources AS s WHERE s.name = b.name AND s.id >= b.id AND NOT s.writable
       ),
       b.encoding, b.added_at, b.removed_at, b.header,
       
       b.allow_inline AND NOT EXISTS (
           SELECT 1 FROM ordermade_state.sources AS s WHERE s.name = b.name AND s.id >= b.id AND NOT s.allow_inline
       ),
       
       b.allow_external AND NOT EXISTS (
           SELECT 1 FROM ordermade_state.sources AS s WHERE s.name = b.name AND s.id >= b.id AND NOT COALESCE(s.allow_external, FALSE)
       )
FROM ordermade_restored.sources AS b
UNION ALL
SELECT s.id, s.name, s.kind, s.location, s.writable, s.encoding, s.added_at, COALESCE(s.removed_at, $removed_at),
       s.header, s.allow_inline, s.allow_external
FROM ordermade_state.sources AS s
WHERE s.id NOT IN (SELECT b.id FROM ordermade_restored.sources AS b)
