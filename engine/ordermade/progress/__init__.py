"""Progress: what a call does, how far it is, and where it is shown."""
