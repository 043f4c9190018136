-- The sensitive values and the persons of each group, by its combinations. One row is n rows of the dataset, of one
-- group, that have these alike.
SELECT assigned.number, keys.key AS kept, frequency_set.person, CAST(SUM(frequency_set.n) AS BIGINT) AS n
FROM frequency_set
JOIN microdata_assigned AS assigned ON frequency_set.rowid = assigned.record
JOIN keys ON frequency_set.cell = keys.cell
GROUP BY assigned.number, keys.key, frequency_set.person
