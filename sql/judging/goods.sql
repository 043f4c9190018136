-- What a release calls each good of the original: by its own name. One row is one good.
SELECT numbered_texts.number AS item, numbered_texts.label, numbered_texts.label AS class FROM numbered_texts
