SELECT
  counted."v1",
  counted."v2",
  counted."v3",
  counted."v4",
  counted."v5",
  counted.person,
  counted.n,
  FALSE AS suppressed
FROM released AS counted;
