-- Names without a database mean the state from now on.
-- after: attach_state
USE ordermade_state
