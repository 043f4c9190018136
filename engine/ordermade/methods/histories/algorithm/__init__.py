"""Purchase histories: cluster customers and match their records at the least loss. Pure."""
