-- Detaches the state.
-- after: attach_state
DETACH ordermade_state
