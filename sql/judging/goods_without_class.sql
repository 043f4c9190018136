-- How many goods of the original are in no class of a taxonomy? One row.
SELECT COUNT(*) - COUNT(goods.class) AS goods FROM goods
