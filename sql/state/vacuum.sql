-- Writes the state anew: no page of it has anything of what was erased. No rows.
VACUUM
