-- The number of the original's goods that are in no class of a taxonomy. One row.
SELECT COUNT(*) - COUNT(goods.class) AS goods FROM goods
