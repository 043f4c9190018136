-- The ledger, a SQLite file beside the state: every release with its recipients and the classes that it shows. It is
-- personal data as the cache is, and a restore of the state never takes anything back from it.

-- name: tables
-- The tables of a new ledger. No rows.
CREATE TABLE IF NOT EXISTS ledger_entries (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  entry_key TEXT NOT NULL UNIQUE,
  dataset TEXT NOT NULL,
  dataset_name TEXT NOT NULL,
  status TEXT NOT NULL,
  request INTEGER,
  release INTEGER,
  document TEXT NOT NULL,
  seal TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS ledger_entries_of ON ledger_entries (dataset, status);
CREATE INDEX IF NOT EXISTS ledger_entries_called ON ledger_entries (dataset_name, status);
CREATE TABLE IF NOT EXISTS ledger_classes (
  entry INTEGER NOT NULL REFERENCES ledger_entries (id) ON DELETE CASCADE,
  place INTEGER NOT NULL,
  header TEXT NOT NULL,
  numbers BLOB NOT NULL,
  PRIMARY KEY (entry, place)
);
CREATE TABLE IF NOT EXISTS ledger_hierarchies (
  content_hash TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  document TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS ledger_answers (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  question TEXT NOT NULL,
  dataset TEXT NOT NULL,
  dataset_name TEXT NOT NULL,
  recipients TEXT NOT NULL,
  answered_at TEXT NOT NULL,
  decided TEXT NOT NULL,
  bits REAL NOT NULL
);

-- name: add_answer
-- Adds an answer to a request, with what it tells. No rows.
-- $question = 'd4'
-- $dataset = 'd1'
-- $dataset_name = 'members'
-- $recipients = '["hokkaido"]'
-- $answered_at = '2026-01-02T03:04:05+00:00'
-- $decided = 'open'
-- $bits = 2.3
INSERT INTO ledger_answers (question, dataset, dataset_name, recipients, answered_at, decided, bits)
VALUES ($question, $dataset, $dataset_name, $recipients, $answered_at, $decided, $bits);

-- name: add_classes
-- Adds the classes of one partition of an entry. No rows.
-- $entry = 1
-- $place = 0
-- $header = '{}'
-- $numbers = ''
INSERT INTO ledger_classes (entry, place, header, numbers)
SELECT id, $place, $header, $numbers FROM ledger_entries WHERE id = $entry;

-- name: add_entry
-- Adds an entry, unless one of its key is there. One row: its number; none where one is there.
-- $entry_key = 'a1'
-- $dataset = 'd1'
-- $dataset_name = 'members'
-- $status = 'intended'
-- $request = 1
-- $release = NULL
-- $document = '{}'
-- $seal = 'b2'
INSERT INTO ledger_entries (entry_key, dataset, dataset_name, status, request, release, document, seal)
VALUES ($entry_key, $dataset, $dataset_name, $status, $request, $release, $document, $seal)
ON CONFLICT (entry_key) DO NOTHING
RETURNING id;

-- name: add_hierarchy
-- Adds a hierarchy, unless one of its content is there. No rows.
-- $content_hash = 'c3'
-- $name = 'age'
-- $document = '{}'
INSERT OR IGNORE INTO ledger_hierarchies (content_hash, name, document) VALUES ($content_hash, $name, $document);

-- name: answers
-- The answers to requests on a dataset, or on all. One row: an answer, in the order in which they came.
-- $dataset = 'd1'
SELECT question, dataset, dataset_name, recipients, answered_at, decided, bits
FROM ledger_answers
WHERE $dataset IS NULL OR dataset = $dataset
ORDER BY id;

-- name: classes
-- The classes that entries show. One row: those of one partition.
-- $entries = '[1]'
SELECT entry, header, numbers
FROM ledger_classes
WHERE entry IN (SELECT value FROM json_each($entries))
ORDER BY entry, place;

-- name: entries
-- The entries of a dataset, by its identity or its name, or of all; of one release, or of all. One row: an entry, in
-- the order in which they came.
-- $dataset = 'd1'
-- $dataset_name = 'members'
-- $release = NULL
SELECT id, entry_key, dataset, dataset_name, status, request, release, document, seal
FROM ledger_entries
WHERE (COALESCE($dataset, $dataset_name) IS NULL OR dataset = $dataset OR dataset_name = $dataset_name)
  AND ($release IS NULL OR release = $release)
ORDER BY id;

-- name: hierarchies
-- Hierarchies by the hashes of their content. One row: a hierarchy.
-- $hashes = '["c3"]'
SELECT content_hash, name, document
FROM ledger_hierarchies
WHERE content_hash IN (SELECT value FROM json_each($hashes));

-- name: last
-- The number of the last entry of a dataset, by its identity or its name, that counts. One row: it, 0 where there is
-- none.
-- $dataset = 'd1'
-- $dataset_name = 'members'
SELECT COALESCE(MAX(id), 0) AS last
FROM ledger_entries
WHERE (dataset = $dataset OR dataset_name = $dataset_name) AND status IN ('intended', 'released');

-- name: settle
-- Notes what became of an entry. One row: its number, none where there is no such entry.
-- $entry = 1
-- $status = 'released'
-- $release = 1
UPDATE ledger_entries
SET status = $status, release = COALESCE($release, release)
WHERE id = $entry
RETURNING id;
