-- The values of a sensitive attribute by number, with the count of each in the whole dataset. One row is one value.
-- $texts = ['basic', 'plus']
-- $cells = [0, 1]
-- $counts = [6, 4]
SELECT CAST(listed.text AS VARCHAR) AS key, listed.cell, listed.n
FROM (SELECT UNNEST($texts) AS text, UNNEST($cells) AS cell, UNNEST($counts) AS n) AS listed
