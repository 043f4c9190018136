-- The elements of each cell of items by number, each once, in order: however they are written. One row is one cell text.
SELECT listed.item, LIST_SORT(LIST(DISTINCT elements.element)) AS contents
FROM listed
JOIN elements ON listed.label = elements.label
GROUP BY listed.item
