-- Notes which entry of the audit is the last one.
-- $number = 1
-- $hash = 'a0a0'
UPDATE audit_head SET number = $number, hash = $hash
