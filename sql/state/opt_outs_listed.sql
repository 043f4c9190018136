-- The datasets that persons opted out of. One row: a dataset, with the number of persons and the time of the last one.
SELECT dataset_name, COUNT(*) AS persons, MAX(added_at) AS "last_added_at [TIMESTAMP]" FROM opt_outs GROUP BY dataset_name ORDER BY dataset_name
