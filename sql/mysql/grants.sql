-- The rights of the user: one row a grant.
SHOW GRANTS
