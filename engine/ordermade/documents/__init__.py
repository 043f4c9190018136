"""The JSON documents that commands print with `--json`: their types, one module a noun, and what builds them."""
