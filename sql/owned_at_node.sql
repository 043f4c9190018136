-- The combinations in the classes of a node with their persons. One row is one combination of a person with several
-- (`owner`), or one that n persons have (NULL), of whom those with several are taken off again.
SELECT CAST(NULL AS BIGINT) AS owner, frequency_set.n, frequency_set.qi FROM frequency_set
UNION ALL
SELECT CAST(NULL AS BIGINT) AS owner, -1 AS n, part.word AS qi FROM worded AS part
UNION ALL
SELECT part.person AS owner, 1 AS n, part.word AS qi FROM worded AS part
