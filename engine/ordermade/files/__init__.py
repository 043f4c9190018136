"""Text files in any encoding: the codecs by name, and which of them a file is written in, pure but for the file."""
