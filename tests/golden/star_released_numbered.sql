SELECT
  class.class,
  counted."v1",
  counted."v2",
  counted."v3",
  counted."v4",
  counted."v5",
  counted.person,
  counted.n
FROM released AS counted
JOIN released_classes AS class
  ON counted."v1" IS NOT DISTINCT FROM class."v1"
  AND counted."v2" IS NOT DISTINCT FROM class."v2"
  AND counted."v3" IS NOT DISTINCT FROM class."v3"
  AND counted."v4" IS NOT DISTINCT FROM class."v4";
