-- The rows of the suppressed classes of a node. One row is one combination: n rows have it.
SELECT part.n, part.qi
FROM frequency_set AS part
JOIN failing ON failing.class = part.qi
