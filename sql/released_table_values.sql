-- How often does the whole dataset have each value of a sensitive attribute? One row is one value, by its number.
SELECT sensitive.cell AS value, sensitive.n FROM sensitive
