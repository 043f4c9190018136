-- Reads every page of the state. One row: something that is wrong with it, or `ok`.
PRAGMA main.integrity_check
