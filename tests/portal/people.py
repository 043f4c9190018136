"""A dataset of sixty persons for a portal, with a hierarchy of each kind that users may have of their own."""

from __future__ import annotations

from pathlib import Path

from tests.portal.office import PortalOffice


def with_people(office: PortalOffice, folder: Path) -> PortalOffice:
    """The same portal with a dataset of sixty persons, and a hierarchy of ages."""
    table = folder / "people.csv"
    table.write_text("age,town\n" + "".join(f"{20 + n % 30},{'Uji' if n % 2 else 'Otsu'}\n" for n in range(60)))
    engine = office.engine
    engine.sources.add("people", str(table))
    engine.datasets.add("people", source="people", table="people")
    engine.hierarchies.add("age", "intervals: {levels: [{width: 5, name: 5 years}, {width: 10, name: 10 years}]}\n")
    engine.hierarchies.add("town", {"Uji": "Kyoto", "Otsu": "Shiga"})
    return office
