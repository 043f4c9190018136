-- The last seal of each row of a table of the earlier state, in the order of its key. One row: a seal with the key of its
-- row; NULL where the row was erased.
-- $table_name = 'requests'
SELECT owner, part, ARG_MAX_NULL(seal, number) AS seal
FROM before.seals
WHERE table_name = $table_name
GROUP BY owner, part
ORDER BY owner, part
