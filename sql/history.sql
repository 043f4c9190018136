-- Purchase histories.

-- name: map
-- The purchase behind each released row. Secret. One row is one released row, by its place in the release, with the
-- purchase as it was.
SELECT customers.key AS customer, goods.key AS item, purchases.measured AS measured, released.place AS place
FROM (
  SELECT sorted.slot, sorted.number, ROW_NUMBER() OVER () AS place
  FROM (SELECT sorted.slot, UNNEST(sorted.numbers) AS number FROM history_sorted AS sorted) AS sorted
) AS released
JOIN history_pseudonyms AS pseudonyms ON released.number = pseudonyms.number
JOIN history_placed AS placed ON pseudonyms.customer = placed.customer AND released.slot = placed.slot
JOIN purchases ON placed.record = purchases.rowid
JOIN history_customers AS customers ON purchases.customer = customers.number
JOIN history_goods AS goods ON purchases.item = goods.good
ORDER BY released.place;

-- name: pulled
-- The purchases: of the dataset the columns needed and no other, time stamps as their days. One row is one row of the
-- dataset. The source runs the subquery `pulled`, the workspace the rest.
SELECT pulled.customer, CAST(pulled.bought AS DATE) AS u1, pulled.item, pulled.measured AS measured
FROM (
  SELECT dataset.id AS customer, dataset.bought AS bought, dataset.code AS item, dataset.measured AS measured
  FROM dataset
) AS pulled;

-- name: customers
-- The customers of the purchases. One row is one customer, by number: those with the most purchases first, of these the
-- one who came first, then by the customer's own key. `start` is the first purchase of the customer.
SELECT
  counted.key,
  CAST(ROW_NUMBER() OVER (ORDER BY counted.n DESC, counted.first_day, counted.key) - 1 AS INTEGER) AS number,
  counted.n,
  CAST(
    SUM(counted.n) OVER (
      ORDER BY counted.n DESC, counted.first_day, counted.key ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) - counted.n AS BIGINT
  ) AS start
FROM (
  SELECT microdata.customer AS key, COUNT(*) AS n, MIN(microdata.u1) AS first_day
  FROM microdata
  GROUP BY microdata.customer
) AS counted;

-- name: customer_counts
-- The number of customers, and of the purchases of the one with most. One row.
SELECT COUNT(*) AS customers, COALESCE(MAX(customers.n), 0) AS most FROM history_customers AS customers;

-- name: goods
-- The goods that were bought. One row is one good, by number in the order of the goods, with the item that is released
-- for it: itself, or its category.
SELECT
  listed.key,
  CAST(ROW_NUMBER() OVER (ORDER BY listed.key) AS INTEGER) AS good,
  CAST(DENSE_RANK() OVER (ORDER BY labels.label) AS INTEGER) AS item,
  CAST(labels.label AS VARCHAR) AS label
FROM (SELECT DISTINCT microdata.item AS key FROM microdata) AS listed
JOIN labels ON listed.key = labels.key;

-- name: items
-- The items released for goods. One row is one item, with its goods and its text: in double quotes where it could be
-- read as something else.
SELECT
  goods.item,
  CASE
    WHEN REGEXP_MATCHES(goods.label, '[,;{}"]|^[*]?$|^[\s\p{Z}]|[\s\p{Z}]$') THEN '"' || REPLACE(goods.label, '"', '""') || '"'
    ELSE goods.label
  END AS label,
  COUNT(*) AS goods
FROM history_goods AS goods
GROUP BY goods.item, goods.label;

-- name: purchases
-- The purchases in whole numbers of units, customer by customer, those of one customer in the order in which they are
-- matched. One row is one purchase.
SELECT bought.customer, bought.u1, bought.measured, bought.item, bought.good
FROM (
  SELECT
    customers.number AS customer,
    CAST(CAST(microdata.u1 AS DATE) - CAST('1970-01-01' AS DATE) AS INTEGER) AS u1,
    CAST(microdata.measured AS BIGINT) AS measured,
    CAST(ROUND(CAST(microdata.measured AS DOUBLE) * 100 / 5) AS BIGINT) AS floats,
    CAST(CAST(microdata.decimals AS HUGEINT) * 2 // 3 AS BIGINT) AS decimals,
    goods.item,
    goods.good
  FROM microdata
  JOIN history_customers AS customers ON microdata.customer = customers.key
  JOIN history_goods AS goods ON microdata.item = goods.key
) AS bought
ORDER BY bought.customer, bought.measured DESC, bought.u1, bought.item, bought.good;

-- name: ranges
-- The range of each number, and how often it is below 0. One row.
SELECT
  COUNT(*) AS n,
  MIN(purchases.measured) AS low,
  MAX(purchases.measured) AS high,
  COALESCE(SUM(CASE WHEN purchases.measured < 0 THEN 1 ELSE 0 END), 0) AS negative
FROM purchases;

-- name: moments
-- The exact sum of each number, and of its squares. One row.
SELECT
  COALESCE(SUM(purchases.measured), 0) AS total,
  COALESCE(SUM(CAST(purchases.measured AS HUGEINT) * purchases.measured), 0) AS squares
FROM purchases;

-- name: starts
-- The first purchase of each customer, as an offset. One row is one customer, in the order of their numbers.
SELECT customers.start FROM history_customers AS customers ORDER BY customers.number;

-- name: arrays
-- The purchases as arrays, in their order, items by number from 0. One row is one purchase.
SELECT CAST(purchases.measured AS DOUBLE) AS measured, purchases.item - 1 AS item FROM purchases;

-- name: figures
-- The extent of a release of histories. One row: the customers, and those in clusters; the purchases, and those
-- released; the customers with a purchase that is not; the fewest and the most that are released of a customer in a
-- cluster.
SELECT
  COUNT(*) AS customers,
  COUNT(kept.n) AS clustered,
  CAST(SUM(customers.n) AS BIGINT) AS rows,
  CAST(COALESCE(SUM(kept.n), 0) AS BIGINT) AS released,
  CAST(SUM(CASE WHEN customers.n > COALESCE(kept.n, 0) THEN 1 ELSE 0 END) AS BIGINT) AS incomplete,
  COALESCE(MIN(kept.n), 0) AS fewest,
  COALESCE(MAX(kept.n), 0) AS most
FROM history_customers AS customers
LEFT JOIN history_clusters AS clusters ON customers.number = clusters.customer
LEFT JOIN (
  SELECT slots.cluster, COUNT(*) AS n FROM history_slots AS slots GROUP BY slots.cluster
) AS kept ON clusters.cluster = kept.cluster;

-- name: pseudonyms
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
) AS drawn ON listed.place = drawn.place;

-- name: sorted
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
ORDER BY members.first, shown.value, shown.slot;

-- name: released
-- The release of histories, slot by slot. One row is one purchase of a customer, by random number.
SELECT sorted.value, UNNEST(sorted.numbers) AS number, CAST(1 AS BIGINT) AS n, sorted.slot FROM history_sorted AS sorted;

-- name: clusters_by_rank
-- The clustered customers: each 2 after one another, without those left over at the end. One row is one customer.
SELECT customers.number AS customer, CAST(customers.number // 2 AS INTEGER) AS cluster
FROM history_customers AS customers
WHERE customers.number < (SELECT COUNT(*) - COUNT(*) % 2 FROM history_customers);

-- name: placed_by_rank
-- The purchases that become alike by rank: those at the same place in the histories of a cluster, as far as its
-- shortest one goes. One row is one purchase that is released.
SELECT
  purchases.rowid AS record,
  purchases.customer,
  member.cluster,
  CAST(purchases.rowid - member.start AS INTEGER) AS slot,
  purchases.measured,
  purchases.item
FROM purchases
JOIN (
  SELECT
    clusters.customer,
    clusters.cluster,
    customers.start,
    MIN(customers.n) OVER (PARTITION BY clusters.cluster) AS shortest
  FROM history_clusters AS clusters
  JOIN history_customers AS customers ON clusters.customer = customers.number
) AS member ON purchases.customer = member.customer
WHERE purchases.rowid - member.start < member.shortest;

-- name: placed_as_matched
-- The purchases that become alike by matching: they have one slot in their cluster. One row is one purchase that is
-- released.
SELECT
  purchases.rowid AS record,
  purchases.customer,
  clusters.cluster,
  matched.slot,
  purchases.measured,
  purchases.item
FROM purchases
JOIN history_matched AS matched ON purchases.rowid = matched.record
JOIN history_clusters AS clusters ON purchases.customer = clusters.customer;

-- name: view
-- Keeps a query under a name of the engine's own, for this request only, without its answer. One row is one row of the
-- query.
CREATE OR REPLACE TEMPORARY VIEW stored AS SELECT dataset.qi FROM dataset;

-- name: slots
-- The slots of the clusters, with the loss of each. One row is one slot: its purchases n, the items in it, of each
-- number the interval that contains all and the summed error. A number that would lose more than without it is deleted:
-- its interval is NULL, each of its cells loses 1.
-- $spread = 1.5
SELECT
  part.cluster,
  part.slot,
  part.n,
  part.items,
  CASE WHEN part.error > part.n THEN NULL ELSE part.low END AS low,
  CASE WHEN part.error > part.n THEN NULL ELSE part.high END AS high,
  LEAST(part.error, part.n) AS error
FROM (
  SELECT
    one.cluster,
    one.slot,
    one.n,
    one.items,
    one.low,
    one.high,
    CASE
      WHEN one.low = one.high THEN 0.0
      ELSE CAST(
        2 * one.squares - 2 * (CAST(one.low AS HUGEINT) + one.high) * one.total
        + one.n * (CAST(one.low AS HUGEINT) * one.low + CAST(one.high AS HUGEINT) * one.high + one.high - one.low) AS DOUBLE
      ) / (CAST(2 * (CAST(one.high AS BIGINT) - one.low + 1) AS DOUBLE) * CAST($spread AS DOUBLE))
    END AS error
  FROM (
    SELECT
      placed.cluster,
      placed.slot,
      CAST(COUNT(*) AS INTEGER) AS n,
      LIST_SORT(LIST_DISTINCT(LIST(placed.item))) AS items,
      MIN(placed.measured) AS low,
      MAX(placed.measured) AS high,
      SUM(placed.measured) AS total,
      SUM(CAST(placed.measured AS HUGEINT) * placed.measured) AS squares
    FROM history_placed AS placed
    GROUP BY placed.cluster, placed.slot
  ) AS one
) AS part;

-- name: shown
-- The released text of each slot's purchases: a value that they all have as it is, else the interval or the set of
-- their values, or * in place of a deleted number. One row is one slot: n customers have one such purchase each.
SELECT
  slots.cluster,
  slots.slot,
  slots.n,
  CASE
    WHEN LENGTH(slots.items) = 1 THEN LIST_SELECT(names.labels, slots.items)[1]
    ELSE '{' || ARRAY_TO_STRING(LIST_SELECT(names.labels, slots.items), ', ') || '}'
  END AS item,
  CASE
    WHEN slots.low IS NULL THEN '*'
    WHEN slots.low = slots.high THEN CAST(slots.low AS VARCHAR)
    ELSE '[' || CAST(slots.low AS VARCHAR) || ', ' || CAST(slots.high AS VARCHAR) || ']'
  END AS value
FROM history_slots AS slots
CROSS JOIN (SELECT LIST(items.label ORDER BY items.item) AS labels FROM history_items AS items) AS names;

-- name: losses
-- The loss of all slots: summed in whole units of 1e-12, so that the order of the slots changes nothing. One row: the
-- purchases in slots; of each number and of the items the error, the cells that are as they were and those that are
-- deleted.
SELECT
  COALESCE(SUM(slots.n), 0) AS rows,
  COALESCE(SUM(CAST(slots.error AS DECIMAL(38, 12))), 0) AS error,
  COALESCE(SUM(CASE WHEN slots.low = slots.high THEN slots.n ELSE 0 END), 0) AS kept,
  COALESCE(SUM(CASE WHEN slots.low IS NULL THEN slots.n ELSE 0 END), 0) AS deleted,
  COALESCE(SUM(CAST(slots.n * (1.0 - 1.0 / LENGTH(slots.items)) AS DECIMAL(38, 12))), 0) AS items_error,
  COALESCE(SUM(CASE WHEN LENGTH(slots.items) = 1 THEN slots.n ELSE 0 END), 0) AS items_kept,
  COALESCE(
    SUM(CAST(slots.n * (1.0 - 1.0 / LIST_SUM(LIST_SELECT(sizes.goods, slots.items))) AS DECIMAL(38, 12))), 0
  ) AS goods_error,
  COALESCE(
    SUM(CASE WHEN LIST_SUM(LIST_SELECT(sizes.goods, slots.items)) = 1 THEN slots.n ELSE 0 END), 0
  ) AS goods_kept
FROM history_slots AS slots
CROSS JOIN (SELECT LIST(items.goods ORDER BY items.item) AS goods FROM history_items AS items) AS sizes;

-- name: texts
-- The text of a whole number of units: the number itself, its date, or its decimals. One row is one slot.
SELECT
  CAST(slots.low AS VARCHAR) AS whole,
  CAST(CAST('1970-01-01' AS DATE) + slots.low AS VARCHAR) AS day,
  CAST(CAST(slots.low AS DECIMAL(19, 0)) * CAST(0.05 AS DECIMAL(18, 2)) AS VARCHAR) AS decimals
FROM history_slots AS slots;
