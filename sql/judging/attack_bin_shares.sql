-- The share of the original's rows in each bin. One row is one bin: its share of all rows, and the share up to it.
SELECT
  binned.bin,
  binned.n / SUM(binned.n) OVER () AS share,
  SUM(binned.n) OVER (ORDER BY binned.bin) / SUM(binned.n) OVER () AS upto
FROM (SELECT attack_bins.bin, SUM(attack_bins.n) AS n FROM attack_bins GROUP BY attack_bins.bin) AS binned
