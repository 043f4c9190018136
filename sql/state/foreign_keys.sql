-- The references of the open state that lead nowhere. One row: one of them, with its table and the one it refers to.
PRAGMA main.foreign_key_check
