-- The purchases as arrays, in their order, items by number from 0. One row is one purchase.
SELECT CAST(purchases.measured AS DOUBLE) AS measured, purchases.item - 1 AS item FROM purchases
