-- Rows of a table that are not as they were sealed (stand-in: requests, its owner, part and content in place of id, title
-- and status). One row: owner and part of the key, whether the row is there, and whether it was sealed.
-- $table_name = 'requests'
-- $least = -9223372036854775808
-- $most = 9223372036854775807
-- $rows = 100
WITH present AS (
    SELECT requests.id AS owner, requests.title AS part, MD5_NUMBER_LOWER(requests.status) AS seal
    FROM requests
    WHERE requests.id BETWEEN $least AND $most
), sealed AS (
    SELECT owner, part, ARG_MAX_NULL(seal, number) AS seal
    FROM seals
    WHERE table_name = $table_name AND owner BETWEEN $least AND $most
    GROUP BY owner, part
)
SELECT COALESCE(p.owner, s.owner) AS owner, COALESCE(p.part, s.part) AS part, NOT p.seal IS NULL AS is_there,
       NOT s.seal IS NULL AS is_sealed
FROM present AS p
FULL JOIN sealed AS s ON s.owner = p.owner AND s.part = p.part
WHERE p.seal IS DISTINCT FROM s.seal
ORDER BY 1, 2
LIMIT $rows
