-- Whether a table of keys has as many codes as keys, NULL among them: one row.
SELECT COUNT(*) = (SELECT COUNT(*) FROM (SELECT DISTINCT keys.cell FROM keys) AS codes) AS one_to_one FROM keys
