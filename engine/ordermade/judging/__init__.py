"""How safe and how useful a release is, judged beside its original, whoever made it."""
