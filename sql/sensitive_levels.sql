-- The places of a sensitive attribute's values in a hierarchy. One row is one value at one level, with the number of
-- its class there. The statements of all levels below `*` are joined by UNION ALL.
SELECT sensitive.cell AS value, 0 AS level, keys.level AS ancestor
FROM sensitive
JOIN keys ON sensitive.key IS NOT DISTINCT FROM keys.key
