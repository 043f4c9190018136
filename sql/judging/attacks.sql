-- Attacks on released histories.

-- name: attack_likely_of_any
-- The histories that are likely by any part of a customer's purchases. One row is one customer with one of them.
SELECT DISTINCT attack_likely.customer, attack_likely.history FROM attack_likely;

-- name: attack_together
-- The fit of each likely history to a customer, all parts together. One row is one customer with one history.
SELECT attack_fit.customer, attack_fit.history, SUM(attack_fit.fit) AS fit
FROM attack_fit
GROUP BY attack_fit.customer, attack_fit.history;

-- name: attack_histories
-- The different histories of a release. One row is one of them: the pseudonyms that share it, one of these, its rows,
-- and how many of the histories have fewer rows.
SELECT
  different.history,
  different.pseudonyms,
  different.pseudonym,
  different.rows,
  RANK() OVER (ORDER BY different.rows) - 1 AS shorter
FROM (
  SELECT
    released_histories.history,
    COUNT(*) AS pseudonyms,
    MIN(released_histories.pseudonym) AS pseudonym,
    MAX(released_histories.rows) AS rows
  FROM released_histories
  GROUP BY released_histories.history
) AS different;

-- name: attack_rows
-- The different histories of a release, with all their rows: of pseudonyms that share one, the rows of one. One row is
-- one row of the release.
SELECT attack_histories.history, released_records.*
FROM released_records
JOIN attack_histories ON released_records.pseudonym = attack_histories.pseudonym;

-- name: attack_customers
-- The customers that the attacks try to find: customers whose pseudonym is known, picked by a seed, with their
-- purchases in the original and the histories that have no more rows. One row is one customer.
-- $seed = 0
-- $attempts = 2
SELECT sought.customer, sought.purchases, COALESCE(lengths.histories, 0) AS histories
FROM (
  SELECT picked.customer, COUNT(*) AS purchases
  FROM (
    SELECT truth.customer
    FROM truth
    GROUP BY truth.customer
    ORDER BY HASH(truth.customer, $seed), truth.customer
    LIMIT $attempts
  ) AS picked
  JOIN original_records ON original_records.customer = picked.customer
  GROUP BY picked.customer
) AS sought
ASOF LEFT JOIN (
  SELECT attack_histories.rows, MAX(attack_histories.shorter) + COUNT(*) AS histories
  FROM attack_histories
  GROUP BY attack_histories.rows
) AS lengths ON sought.purchases >= lengths.rows;

-- name: attack_by_count
-- The attack by number of purchases: it names for each customer a pseudonym with as many rows as the customer has
-- purchases; as rows may have been deleted, else one with the next fewer; else one with the fewest of all. The seed
-- draws one of several, for each customer anew. One row is one customer and the pseudonym that the attack names.
-- $seed = 0
SELECT nearest.customer, numbered.pseudonym
FROM (
  SELECT
    attack_customers.customer,
    COALESCE(lengths.rows, shortest.rows) AS rows,
    COALESCE(lengths.pseudonyms, shortest.pseudonyms) AS pseudonyms
  FROM attack_customers
  ASOF LEFT JOIN (
    SELECT released_histories.rows, COUNT(*) AS pseudonyms FROM released_histories GROUP BY released_histories.rows
  ) AS lengths ON attack_customers.purchases >= lengths.rows
  CROSS JOIN (
    SELECT released_histories.rows, COUNT(*) AS pseudonyms
    FROM released_histories
    GROUP BY released_histories.rows
    ORDER BY released_histories.rows
    LIMIT 1
  ) AS shortest
) AS nearest
JOIN (
  SELECT
    released_histories.pseudonym,
    released_histories.rows,
    ROW_NUMBER() OVER (
      PARTITION BY released_histories.rows
      ORDER BY HASH(released_histories.pseudonym, $seed), released_histories.pseudonym
    ) - 1 AS place
  FROM released_histories
) AS numbered
  ON nearest.rows = numbered.rows
  AND numbered.place = HASH(nearest.customer, nearest.rows, $seed) % nearest.pseudonyms;

-- name: attack_fit_of_count
-- The fit of each likely history to the number of a customer's purchases, where rows may have been deleted. The fewer
-- histories have as many rows as it has, or more up to that number, the better. One row is one customer with one
-- history.
SELECT
  attack_likely.customer,
  attack_likely.history,
  -LN(
    CASE
      WHEN attack_histories.rows > attack_customers.purchases THEN (SELECT COUNT(*) FROM attack_histories)
      ELSE attack_customers.histories - attack_histories.shorter
    END
  ) AS fit
FROM attack_likely
JOIN attack_histories ON attack_likely.history = attack_histories.history
JOIN attack_customers ON attack_likely.customer = attack_customers.customer;

-- name: attack_by_fit
-- The attacks by purchases: they name for each customer a pseudonym of the history that fits best. The seed draws one
-- of its pseudonyms, and one of histories that fit alike, for each customer anew. One row is one customer and the
-- pseudonym that the attack names.
-- $seed = 0
SELECT best.customer, numbered.pseudonym
FROM (
  SELECT
    attack_fit.customer,
    ARG_MAX(
      attack_fit.history, ROUND(attack_fit.fit, 4) + HASH(attack_fit.customer, attack_fit.history, $seed) / 1e24
    ) AS history
  FROM attack_fit
  GROUP BY attack_fit.customer
) AS best
JOIN attack_histories ON best.history = attack_histories.history
JOIN (
  SELECT
    released_histories.pseudonym,
    released_histories.history,
    ROW_NUMBER() OVER (
      PARTITION BY released_histories.history
      ORDER BY HASH(released_histories.pseudonym, $seed), released_histories.pseudonym
    ) - 1 AS place
  FROM released_histories
) AS numbered
  ON best.history = numbered.history
  AND numbered.place = HASH(best.customer, best.history, $seed) % attack_histories.pseudonyms;

-- name: attack_hits
-- The number of attacked customers, and of those that the attack named by their own pseudonym. One row.
SELECT COUNT(*) AS attempts, COUNT_IF(attack_named.customer = truth.customer) AS hits
FROM attack_named
LEFT JOIN truth ON attack_named.pseudonym = truth.pseudonym;

-- name: attack_bin_shares
-- The share of the original's rows in each bin. One row is one bin: its share of all rows, and the share up to it.
SELECT
  binned.bin,
  binned.n / SUM(binned.n) OVER () AS share,
  SUM(binned.n) OVER (ORDER BY binned.bin) / SUM(binned.n) OVER () AS upto
FROM (SELECT attack_bins.bin, SUM(attack_bins.n) AS n FROM attack_bins GROUP BY attack_bins.bin) AS binned;

-- name: attack_bins
-- The values of a column of days or numbers, in their order, in at most $bins bins. One row is one value.
-- $bins = 400
SELECT
  counted.value,
  counted.n,
  CAST(CEIL(ROW_NUMBER() OVER (ORDER BY counted.value) * LEAST(1.0, $bins / COUNT(*) OVER ())) AS INTEGER) AS bin
FROM (
  SELECT original_records.u1 AS value, COUNT(*) AS n FROM original_records GROUP BY original_records.u1
) AS counted;

-- name: attack_bought
-- The purchases of each attacked customer in each bin of a column, and in all bins up to it. One row is one customer
-- with one bin, or with the bin 0 before all others; both are packed into one number, the place.
SELECT
  grid.customer,
  grid.bin,
  CAST(grid.customer AS BIGINT) * 4294967296 + grid.bin AS place,
  COALESCE(purchases.n, 0) AS n,
  CAST(SUM(COALESCE(purchases.n, 0)) OVER (PARTITION BY grid.customer ORDER BY grid.bin) AS BIGINT) AS upto
FROM (
  SELECT attack_customers.customer, each.bin
  FROM attack_customers
  CROSS JOIN (SELECT attack_bin_shares.bin FROM attack_bin_shares UNION ALL SELECT 0 AS bin) AS each
) AS grid
LEFT JOIN (
  SELECT original_records.customer, attack_bins.bin, COUNT(*) AS n
  FROM original_records
  JOIN attack_customers ON original_records.customer = attack_customers.customer
  JOIN attack_bins ON original_records.u1 = attack_bins.value
  GROUP BY original_records.customer, attack_bins.bin
) AS purchases ON grid.customer = purchases.customer AND grid.bin = purchases.bin;

-- name: attack_cells
-- The intervals of each history in one column. One row is one of them: how many rows have it, and how many of the history
-- lie in bins up to its last one, and in bins from its first one on.
SELECT
  held.history,
  held.first,
  held.last,
  held.share,
  held.n,
  CAST(SUM(held.n) OVER (PARTITION BY held.history ORDER BY held.last) AS BIGINT) AS ended,
  CAST(SUM(held.n) OVER (PARTITION BY held.history ORDER BY held.first DESC) AS BIGINT) AS begun
FROM (
  SELECT attack_rows.history, attack_intervals.first, attack_intervals.last, attack_intervals.share, COUNT(*) AS n
  FROM attack_rows
  JOIN attack_intervals
    ON attack_rows.low_1 = attack_intervals.low AND attack_rows.high_1 = attack_intervals.high
  GROUP BY attack_rows.history, attack_intervals.first, attack_intervals.last, attack_intervals.share
) AS held;

-- name: attack_counts
-- The purchases of each attacked customer in each bin of a column, as a list. Purchases are not independent of one
-- another, so that n of them count for the root of n, times $trust. One row is one customer.
-- $trust = 0.1
SELECT
  attack_bought.customer,
  LIST(CAST($trust * attack_bought.n / SQRT(attack_customers.purchases) AS FLOAT) ORDER BY attack_bought.bin) AS counts
FROM attack_bought
JOIN attack_customers ON attack_bought.customer = attack_customers.customer
WHERE attack_bought.bin > 0
GROUP BY attack_bought.customer;

-- name: attack_element_bins
-- The names that a release gives items, the rare ones first, in at most $bins bins. One row is one name by its number.
-- $bins = 400
SELECT
  counted.element AS value,
  counted.n,
  CAST(
    CEIL(ROW_NUMBER() OVER (ORDER BY counted.n, counted.element) * LEAST(1.0, $bins / COUNT(*) OVER ())) AS INTEGER
  ) AS bin
FROM (
  SELECT original_records.element, COUNT(*) AS n FROM original_records GROUP BY original_records.element
) AS counted;

-- name: attack_element_weights
-- The same as `attack_weights`, going by the sets of items. One row is one history.
-- $otherwise = 0.05
SELECT
  density.history,
  LIST(CAST(LN($otherwise + (1 - $otherwise) * density.summed / density.rows) AS FLOAT) ORDER BY density.bin) AS weights
FROM (
  SELECT
    attack_histories.history,
    attack_histories.rows,
    attack_bin_shares.bin,
    COALESCE(inside.weight / attack_bin_shares.share, 0) + attack_histories.rows - COALESCE(told.n, 0) AS summed
  FROM attack_histories
  CROSS JOIN attack_bin_shares
  LEFT JOIN (
    SELECT attack_sets.history, attack_bins.bin, SUM(attack_sets.n * element.share / attack_sets.share) AS weight
    FROM attack_sets
    JOIN released_sets ON attack_sets.item_set = released_sets.item_set
    JOIN attack_bins ON released_sets.element = attack_bins.value
    JOIN (
      SELECT attack_bins.value, attack_bins.n / SUM(attack_bins.n) OVER () AS share FROM attack_bins
    ) AS element ON released_sets.element = element.value
    GROUP BY attack_sets.history, attack_bins.bin
  ) AS inside ON inside.history = attack_histories.history AND inside.bin = attack_bin_shares.bin
  LEFT JOIN (
    SELECT attack_sets.history, SUM(attack_sets.n) AS n FROM attack_sets GROUP BY attack_sets.history
  ) AS told ON told.history = attack_histories.history
) AS density
GROUP BY density.history;

-- name: attack_fit_of_items
-- The fit of each likely history to a customer's purchases, by the sets of items. The likelihood of the purchases, and
-- that of the rows of the history: how many times as often as in the whole original the items of a set are among the
-- customer's purchases; $none where none is. The customers' purchases are looked up by packed places, so that nothing
-- is joined that is not likely. One row is one customer with one history.
-- $none = 0.001
SELECT
  attack_likely.customer,
  attack_likely.history,
  LIST_DOT_PRODUCT(attack_counts.counts, attack_weights.weights)
  + COALESCE(told.n, 0) * LN($none) + COALESCE(matched.gain, 0) AS fit
FROM attack_likely
JOIN attack_counts ON attack_likely.customer = attack_counts.customer
JOIN attack_weights ON attack_likely.history = attack_weights.history
LEFT JOIN (
  SELECT attack_sets.history, SUM(attack_sets.n) AS n FROM attack_sets GROUP BY attack_sets.history
) AS told ON attack_likely.history = told.history
LEFT JOIN (
  SELECT
    of_set.customer,
    of_set.history,
    SUM(of_set.n * (LN($none + (1 - $none) * of_set.bought / of_set.purchases / of_set.share) - LN($none))) AS gain
  FROM (
    SELECT
      attack_likely.customer,
      attack_likely.history,
      attack_sets.item_set,
      MIN(attack_sets.n) AS n,
      MIN(attack_sets.share) AS share,
      MIN(bought.purchases) AS purchases,
      SUM(bought.n) AS bought
    FROM attack_likely
    JOIN attack_sets ON attack_likely.history = attack_sets.history
    JOIN released_sets ON attack_sets.item_set = released_sets.item_set
    JOIN (
      SELECT
        CAST(original_records.customer AS BIGINT) * 4294967296 + original_records.element AS place,
        MIN(attack_customers.purchases) AS purchases,
        COUNT(*) AS n
      FROM original_records
      JOIN attack_customers ON original_records.customer = attack_customers.customer
      GROUP BY original_records.customer, original_records.element
    ) AS bought ON bought.place = CAST(attack_likely.customer AS BIGINT) * 4294967296 + released_sets.element
    GROUP BY attack_likely.customer, attack_likely.history, attack_sets.item_set
  ) AS of_set
  GROUP BY of_set.customer, of_set.history
) AS matched ON attack_likely.customer = matched.customer AND attack_likely.history = matched.history;

-- name: attack_fit_of_values
-- The fit of each likely history to a customer's purchases, by one column of days or numbers. The likelihood of the
-- purchases, less a penalty for every row of the history that must lie up to some value, or from some value on, where
-- the customer has not as many purchases. The customers' purchases are looked up by packed places, so that nothing is
-- joined that is not likely. One row is one customer with one history.
-- $penalty = 5.0
SELECT
  attack_likely.customer,
  attack_likely.history,
  LIST_DOT_PRODUCT(attack_counts.counts, attack_weights.weights) - $penalty * COALESCE(misfit.rows, 0) AS fit
FROM attack_likely
JOIN attack_counts ON attack_likely.customer = attack_counts.customer
JOIN attack_weights ON attack_likely.history = attack_weights.history
LEFT JOIN (
  SELECT
    attack_likely.customer,
    attack_likely.history,
    GREATEST(MAX(attack_cells.ended - upto.upto), 0)
    + GREATEST(MAX(attack_cells.begun - attack_customers.purchases + below.upto), 0) AS rows
  FROM attack_likely
  JOIN attack_customers ON attack_likely.customer = attack_customers.customer
  JOIN attack_cells ON attack_likely.history = attack_cells.history
  JOIN attack_bought AS upto
    ON upto.place = CAST(attack_likely.customer AS BIGINT) * 4294967296 + attack_cells.last
  JOIN attack_bought AS below
    ON below.place = CAST(attack_likely.customer AS BIGINT) * 4294967296 + attack_cells.first - 1
  GROUP BY attack_likely.customer, attack_likely.history
) AS misfit ON misfit.customer = attack_likely.customer AND misfit.history = attack_likely.history;

-- name: attack_intervals
-- The intervals that are released of a column: their first and last bin, and their share of the original's rows (0: of no
-- value that there is). One row is one interval.
SELECT
  bounds.low,
  bounds.high,
  bounds.first,
  bounds.last,
  CASE WHEN bounds.first > bounds.last THEN 0 ELSE upto.upto - COALESCE(below.upto, 0) END AS share
FROM (
  SELECT
    inside.low,
    inside.high,
    COALESCE(least.bin, (SELECT MAX(attack_bins.bin) + 1 FROM attack_bins)) AS first,
    COALESCE(most.bin, 0) AS last
  FROM (
    SELECT DISTINCT attack_rows.low_1 AS low, attack_rows.high_1 AS high
    FROM attack_rows
    WHERE attack_rows.low_1 IS NOT NULL
  ) AS inside
  ASOF LEFT JOIN attack_bins AS least ON inside.low <= least.value
  ASOF LEFT JOIN attack_bins AS most ON inside.high >= most.value
) AS bounds
LEFT JOIN attack_bin_shares AS upto ON upto.bin = bounds.last
LEFT JOIN attack_bin_shares AS below ON below.bin = bounds.first - 1;

-- name: attack_likely
-- The likeliest histories of each attacked customer, by one column and, as in `attack_fit_of_count`, by the number of
-- purchases. One row is one customer with one of the $most likeliest; the seed parts equally likely ones.
-- $most = 2
-- $seed = 0
SELECT found.customer, UNNEST(found.histories) AS history
FROM (
  SELECT
    attack_counts.customer,
    ARG_MAX(
      told.history,
      LIST_DOT_PRODUCT(attack_counts.counts, told.weights)
      - LN(
        CASE
          WHEN told.rows > attack_customers.purchases THEN told.every
          ELSE attack_customers.histories - told.shorter
        END
      )
      + HASH(attack_counts.customer, told.history, $seed) / 1e24,
      $most
    ) AS histories
  FROM attack_counts
  JOIN attack_customers ON attack_counts.customer = attack_customers.customer
  CROSS JOIN (
    SELECT
      attack_weights.history,
      attack_weights.weights,
      attack_histories.rows,
      attack_histories.shorter,
      COUNT(*) OVER () AS every
    FROM attack_weights
    JOIN attack_histories ON attack_weights.history = attack_histories.history
  ) AS told
  GROUP BY attack_counts.customer
) AS found;

-- name: attack_sets
-- The sets of items of each history. One row is one of them: how many rows have it, and the share of the original's rows
-- whose items are in it.
SELECT held.history, held.item_set, held.n, share.share
FROM (
  SELECT attack_rows.history, attack_rows.item_set, COUNT(*) AS n
  FROM attack_rows
  GROUP BY attack_rows.history, attack_rows.item_set
) AS held
JOIN (
  SELECT released_sets.item_set, SUM(element.share) AS share
  FROM released_sets
  JOIN (
    SELECT attack_bins.value, attack_bins.n / SUM(attack_bins.n) OVER () AS share FROM attack_bins
  ) AS element ON released_sets.element = element.value
  GROUP BY released_sets.item_set
) AS share ON held.item_set = share.item_set;

-- name: attack_weights
-- The expected frequency of each bin's values behind a history, relative to the whole original, by the history's cells
-- in one column. One row is one history: for each bin the logarithm of that ratio, a part of $otherwise of which comes
-- from other customers.
-- $otherwise = 0.05
SELECT
  density.history,
  LIST(
    CAST(LN($otherwise + (1 - $otherwise) * GREATEST(density.summed + density.silent, 0) / density.rows) AS FLOAT)
    ORDER BY density.bin
  ) AS weights
FROM (
  SELECT
    attack_histories.history,
    attack_histories.rows,
    attack_bin_shares.bin,
    attack_histories.rows - COALESCE(told.n, 0) AS silent,
    SUM(COALESCE(change.weight, 0)) OVER (
      PARTITION BY attack_histories.history ORDER BY attack_bin_shares.bin ROWS UNBOUNDED PRECEDING
    ) AS summed
  FROM attack_histories
  CROSS JOIN attack_bin_shares
  LEFT JOIN (
    SELECT step.history, step.bin, SUM(step.weight) AS weight
    FROM (
      SELECT attack_cells.history, attack_cells.first AS bin, attack_cells.n / attack_cells.share AS weight
      FROM attack_cells
      WHERE attack_cells.share > 0
      UNION ALL
      SELECT attack_cells.history, attack_cells.last + 1 AS bin, -attack_cells.n / attack_cells.share AS weight
      FROM attack_cells
      WHERE attack_cells.share > 0
    ) AS step
    GROUP BY step.history, step.bin
  ) AS change ON change.history = attack_histories.history AND change.bin = attack_bin_shares.bin
  LEFT JOIN (
    SELECT attack_cells.history, SUM(attack_cells.n) AS n FROM attack_cells GROUP BY attack_cells.history
  ) AS told ON told.history = attack_histories.history
) AS density
GROUP BY density.history;
