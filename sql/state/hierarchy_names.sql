-- Names of the registered hierarchies. One row: a name.
SELECT name FROM hierarchies WHERE removed_at IS NULL ORDER BY name
