-- Reads a whole table (stand-in: requests). One row: its number of rows and a fingerprint of their content.
SELECT COUNT(*) AS rows, BIT_XOR(HASH(requests)) AS fingerprint FROM requests
