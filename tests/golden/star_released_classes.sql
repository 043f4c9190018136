SELECT
  ROW_NUMBER() OVER () AS class,
  counted."v1",
  counted."v2",
  counted."v3",
  counted."v4",
  COUNT(DISTINCT counted.person) AS "units"
FROM released AS counted
GROUP BY
  counted."v1",
  counted."v2",
  counted."v3",
  counted."v4";
