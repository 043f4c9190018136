"""Purchase histories: which customers go together, and which of their records, at the least loss. Pure."""
