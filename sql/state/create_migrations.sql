-- Makes the table of applied migrations, the first thing in a state. One row: a migration.
CREATE TABLE IF NOT EXISTS migrations (
    number     INTEGER PRIMARY KEY,
    name       VARCHAR NOT NULL,
    checksum   VARCHAR NOT NULL,
    applied_at TIMESTAMP NOT NULL
)
