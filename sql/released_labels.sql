-- One label of each quasi-identifier of a release, the greatest: `*` and NULL only where there is no other. One row.
SELECT MAX(released.value) AS value FROM released
