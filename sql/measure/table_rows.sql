-- How many rows of the whole table have each value of one sensitive column? One row is one value, by its number.
SELECT sensitive.cell AS value, sensitive.n FROM sensitive
