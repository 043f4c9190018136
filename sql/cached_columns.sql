-- A cached frequency set with its columns in the order of this request. One row is one combination of cells.
SELECT frequency_set.cell AS qi, frequency_set.n FROM frequency_set
