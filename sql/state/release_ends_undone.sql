-- Notes that the releases that one superseded stand again, since it never got its name.
-- $superseded_by = 2
DELETE FROM release_ends WHERE superseded_by = $superseded_by
