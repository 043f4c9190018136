-- What does a round release? One row: classes, rows.
SELECT COUNT(DISTINCT part.class) AS classes, COALESCE(SUM(part.n), 0) AS n FROM local_round AS part
