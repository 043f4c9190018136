-- Drops an earlier release of the engine's own in a writable source, before its successor is written.
DROP TABLE IF EXISTS released_members
