-- A written release, counted as it was before it was written. One row is one combination of its values.
SELECT released.value, released.person, COUNT(*) AS n FROM released GROUP BY released.value, released.person
