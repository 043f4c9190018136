-- The pseudonyms of a release by number, in their order; a deleted one is none. One row is one pseudonym.
SELECT CAST(ROW_NUMBER() OVER (ORDER BY different.label) - 1 AS INTEGER) AS number, different.label
FROM (SELECT DISTINCT release_read.pseudonym AS label FROM release_read) AS different
WHERE different.label NOT IN ('', '*')
