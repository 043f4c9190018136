-- The release of histories, slot by slot. One row is one purchase of a customer, by random number.
SELECT sorted.value, UNNEST(sorted.numbers) AS number, CAST(1 AS BIGINT) AS n, sorted.slot FROM history_sorted AS sorted
