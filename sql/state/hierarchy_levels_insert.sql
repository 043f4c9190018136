-- Stores the levels of a hierarchy; the lists run in parallel, one place a level.
-- $hierarchy_id = 1
-- $level = [0, 1]
-- $name = ['value', '*']
-- $content_hash = ['a1', 'a2']
-- $origin = [NULL, NULL]
-- $width = [NULL, NULL]
-- $part = [NULL, NULL]
-- $keep = [NULL, NULL]
-- $mask = [NULL, NULL]
-- $length = [NULL, NULL]
-- $below = [NULL, NULL]
-- $above = [NULL, NULL]
-- $bounds = [NULL, NULL]
-- after: hierarchy_insert
INSERT INTO hierarchy_levels (hierarchy_id, level, name, content_hash, origin, width, part, keep, mask, length,
                              below, above, bounds)
VALUES ($hierarchy_id, $level, $name, $content_hash, $origin, $width, $part, $keep, $mask, $length, $below,
        $above, $bounds)
