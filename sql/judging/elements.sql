-- The number of the original's goods for each element of the released sets: 0 where it is neither a good nor a class of
-- some. One row is one element.
SELECT numbered_texts.number AS element, numbered_texts.label, COUNT(goods.item) AS goods
FROM numbered_texts
LEFT JOIN goods ON numbered_texts.label = goods.class
GROUP BY numbered_texts.number, numbered_texts.label
