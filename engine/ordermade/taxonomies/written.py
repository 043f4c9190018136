"""A taxonomy as the CSV that `hierarchy add` and a request's `items: {taxonomy: FILE}` read."""

from __future__ import annotations

import csv
import io

from ordermade.taxonomies.suggest import SuggestedTaxonomy


def csv_text(drafted: SuggestedTaxonomy) -> str:
    """A header, then one line an item: the item, its category, its department if the keywords have any."""
    names = ("item", "category", "department") if drafted.departments else ("item", "category")
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(names)
    writer.writerows(drafted.lines)
    return file.getvalue()
