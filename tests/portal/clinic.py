"""A portal on a small clinic: one dataset of forty rows, on which users of every role may act."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.portal.office import PortalOffice, made

REQUEST = """\
title: {title}
dataset: patients
k: 5
quasi_identifiers:
  age: {{hierarchy: age}}
release: {{to: released.csv}}
"""


def clinic(folder: Path, **options: Any) -> PortalOffice:
    """The portal of a clinic, whose requests need one review."""
    office = made(folder, **options)
    rows = "\n".join(f"{20 + each % 40},{'cold' if each % 2 else 'flu'}" for each in range(40))
    file = folder / "patients.csv"
    file.write_text(f"age,diagnosis\n{rows}\n", encoding="utf-8")
    engine = office.engine
    engine.sources.add("clinic", str(file))
    engine.datasets.add("patients", "clinic", table="patients", least_k=5)
    engine.hierarchies.add("age", {"intervals": {"levels": [{"width": 10}, {"width": 40}]}})
    engine.policies.set({"dataset": "patients", "k": 5, "reviews": 1})
    return office


def submitted(office: PortalOffice, name: str = "ann", title: str = "ages") -> int:
    """The number of a request that a user submitted in the portal."""
    browser = office.browser(name)
    browser.get("/requests/new?dataset=patients")
    found = browser.post("/requests/text", text=REQUEST.format(title=title))
    assert found.status_code == 303, found.text
    return int(found.headers["location"].rpartition("/")[2])
