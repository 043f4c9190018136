-- Makes a view; functions of a reader's own see no row of it before its guard. Gives no row.
CREATE VIEW {view} WITH (security_barrier = TRUE) AS
{query}
