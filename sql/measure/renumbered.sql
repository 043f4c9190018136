-- The same where one integer cannot hold a class: its parts numbered together. One row is as in `measure/counted`.
SELECT DENSE_RANK() OVER (ORDER BY counted.value) AS class, counted.value, counted.n
FROM counted
