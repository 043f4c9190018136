-- The cipher of the session's TLS, empty where there is none: one row.
SHOW SESSION STATUS LIKE 'Ssl_cipher'
