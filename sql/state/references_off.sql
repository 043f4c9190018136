-- Lets tables be dropped in any order; outside of a transaction. No rows.
PRAGMA foreign_keys = OFF
