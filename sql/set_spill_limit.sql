-- The most that this database writes beside its memory, to the folder of what does not fit there. No rows.
SET max_temp_directory_size = '100GB'
