-- The classes of a release as a reader sees them. One row is one class: its labels, as texts, and its rows.
SELECT CAST(decided.value AS VARCHAR) AS label, SUM(decided.n) AS n
FROM decided
WHERE NOT decided.suppressed
GROUP BY decided.value
