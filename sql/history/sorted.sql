-- The slots in the order of the release: cluster by cluster in a random one, in each by their texts, which reveals
-- nothing of the order of the source. One row is one slot, with the random numbers of the customers whose purchases it
-- contains.
SELECT members.first, members.numbers, shown.slot, shown.value
FROM history_shown AS shown
JOIN (
  SELECT
    pseudonyms.cluster,
    MIN(pseudonyms.number) AS first,
    LIST(pseudonyms.number ORDER BY pseudonyms.number) AS numbers
  FROM history_pseudonyms AS pseudonyms
  GROUP BY pseudonyms.cluster
) AS members ON shown.cluster = members.cluster
ORDER BY members.first, shown.value, shown.slot
