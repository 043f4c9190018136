"""Full-domain generalisation: one level per quasi-identifier, the same for every row."""
