-- The release of histories, customer by customer in the order of their random numbers, which tells nothing of the order of
-- the source. One row is one purchase, with whose it is and its slot.
SELECT shown.value, pseudonyms.number, CAST(1 AS BIGINT) AS n, pseudonyms.customer, shown.slot
FROM history_shown AS shown
JOIN history_pseudonyms AS pseudonyms ON shown.cluster = pseudonyms.cluster
ORDER BY pseudonyms.number, shown.value, shown.slot
