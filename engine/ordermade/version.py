"""The version of the engine: of the package, and in whatever it writes."""

VERSION = "0.1.0"
