"""Workbooks (`.xlsx`, `.xlsm`, `.ods`) as sheets of cells, read by python-calamine; pure but for the file."""
