-- A random number, or text of letters, for every customer of whom a purchase is released. One row is one customer, with
-- the cluster.
-- $numbers = [2, 4, 1, 3]
SELECT listed.customer, listed.cluster, drawn.number
FROM (
  SELECT clusters.customer, clusters.cluster, ROW_NUMBER() OVER () AS place
  FROM history_clusters AS clusters
  WHERE clusters.cluster IN (SELECT slots.cluster FROM history_slots AS slots)
) AS listed
JOIN (
  SELECT UNNEST($numbers) AS number, GENERATE_SUBSCRIPTS($numbers, 1) AS place
) AS drawn ON listed.place = drawn.place
