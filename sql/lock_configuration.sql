-- Keeps every statement from changing a setting that it is not allowed, this one included. Gives no row.
SET lock_configuration = TRUE
