-- The head of the audit. One row: the number and the hash of its last entry.
SELECT number, hash FROM audit_head
