-- The policy of a dataset that is in force. One row: its last version.
-- $dataset_name = 'members'
SELECT id, version, policy FROM policies WHERE dataset_name = $dataset_name ORDER BY version DESC LIMIT 1
