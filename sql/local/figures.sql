-- What is withheld, and of how many persons, where persons are told apart? One row.
SELECT SUM(decided.n) AS n, COUNT(DISTINCT decided.person) AS persons FROM decided WHERE decided.withheld
