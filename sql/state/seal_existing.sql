-- Seals the rows of a table (stand-in: requests, its owner, part and content in place of id, title and status).
-- $table_name = 'requests'
-- $least = -9223372036854775808
-- $most = 9223372036854775807
INSERT INTO seals (table_name, owner, part, seal)
SELECT $table_name, requests.id, requests.title, MD5_NUMBER_LOWER(requests.status)
FROM requests
WHERE requests.id BETWEEN $least AND $most
