-- Detaches the copy that is restored.
-- after: attach_restored
DETACH ordermade_restored
