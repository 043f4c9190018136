-- The release, decided, where nothing is suppressed. One row is one combination of released values (of one person,
-- where persons are distinguished).
SELECT counted.value, counted.person, counted.n, FALSE AS suppressed FROM counted
