-- One label of each quasi-identifier of a release as a text, the greatest: `*` and NULL only where there is no other.
-- One row.
SELECT CAST(MAX(released.value) AS VARCHAR) AS value FROM released
