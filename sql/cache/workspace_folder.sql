-- The folder whose files a workspace may read and write. One row.
SELECT CURRENT_SETTING('temp_directory') AS folder
