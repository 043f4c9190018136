-- The persons who opted out of a dataset. One row: the salt of the dataset, and the hash of a person, in order.
-- $dataset_name = 'members'
SELECT s.salt, o.person_hash
FROM opt_outs AS o
JOIN opt_out_salts AS s ON s.dataset_name = o.dataset_name
WHERE o.dataset_name = $dataset_name
ORDER BY o.person_hash
