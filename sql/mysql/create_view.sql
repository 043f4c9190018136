-- Makes a view, whose rows are collected whole before a reader's conditions see them. Gives no row.
CREATE ALGORITHM = TEMPTABLE VIEW {view} AS
{query}
