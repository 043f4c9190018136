-- Takes an earlier release of the engine's own out of a writable source, before its successor is written.
DROP TABLE IF EXISTS released_members
