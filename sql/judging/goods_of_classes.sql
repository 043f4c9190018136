-- The name of each good of the original in a release: its class in a taxonomy; NULL where it is not in there. One row
-- is one good.
-- $leaves = ['east', 'west']
-- $classes = ['land', 'land']
SELECT numbered_texts.number AS item, numbered_texts.label, listed.class
FROM numbered_texts
LEFT JOIN (SELECT UNNEST($leaves) AS leaf, UNNEST($classes) AS class) AS listed ON numbered_texts.label = listed.leaf
