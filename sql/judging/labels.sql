-- All names that a release may give goods of the original, and all that it does give. One row is one of them, or more.
SELECT goods.class AS label FROM goods WHERE goods.class IS NOT NULL
UNION ALL
SELECT listed.label FROM listed
