-- The name of each good of the original in a release: its own. One row is one good.
SELECT numbered_texts.number AS item, numbered_texts.label, numbered_texts.label AS class FROM numbered_texts
