"""Safety and usefulness of a release, judged against its original, for a release made by any tool."""
