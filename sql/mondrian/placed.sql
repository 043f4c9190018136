-- The group of every combination of the quasi-identifiers: equal rows are never parted. One row is one combination.
SELECT frequency_set.cell, assigned.number
FROM frequency_set
JOIN microdata_assigned AS assigned ON frequency_set.rowid = assigned.record
GROUP BY frequency_set.cell, assigned.number
