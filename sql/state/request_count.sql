-- The number of requests on record. One row.
SELECT COUNT(*) AS requests FROM requests
