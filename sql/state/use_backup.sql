-- Names without a database mean the attached new file from now on.
-- after: attach_backup
USE ordermade_backup
