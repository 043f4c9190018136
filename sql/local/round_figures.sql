-- The figures of a round's release. One row: classes, rows.
SELECT COUNT(DISTINCT part.class) AS classes, COALESCE(SUM(part.n), 0) AS n FROM local_round AS part
