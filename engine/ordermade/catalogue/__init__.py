"""What the provider registered, by name: sources, datasets, hierarchies; and how they are opened and checked."""
