"""Every class that a user of the library needs is imported from `ordermade`."""

from __future__ import annotations

import subprocess
import sys

import pytest

import ordermade
from ordermade import errors


def test_a_public_name_is_what_its_module_defines() -> None:
    for name in set(ordermade.__all__) - {"__version__"}:
        found = getattr(ordermade, name)
        assert found.__name__ == name
        assert found.__module__.startswith("ordermade."), name


def test_every_error_is_public() -> None:
    defined = {name for name, each in vars(errors).items() if isinstance(each, type) and issubclass(each, Exception)}
    assert defined <= set(ordermade.__all__)


def test_importing_the_package_imports_nothing_heavy() -> None:
    heavy = "{'duckdb', 'numpy', 'pandas', 'pyarrow', 'sqlglot', 'pydantic'}"
    command = f"import sys, ordermade; dir(ordermade); print({heavy} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", command], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_an_unknown_name_is_no_attribute() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Motor'"):
        _ = ordermade.Motor
