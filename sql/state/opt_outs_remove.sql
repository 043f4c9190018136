-- Takes persons off the list of a dataset; all of them where no hashes are given.
-- $dataset_name = 'members'
-- $person_hash = ['00ff']
-- after: opt_outs_insert
DELETE FROM opt_outs
WHERE dataset_name = $dataset_name
  AND ($person_hash IS NULL OR person_hash IN (SELECT value FROM json_each($person_hash)))
