"""What an extra installs is imported where it is used: without every extra the rest of the engine is whole."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

from packaging.requirements import Requirement

REPOSITORY = Path(__file__).resolve().parents[2]
IMPORTED_AS = {
    "psycopg": "psycopg",
    "SQLAlchemy": "sqlalchemy",
    "PyMySQL": "pymysql",
    "pyspark": "pyspark",
    "grpcio": "grpc",
    "grpcio-status": "grpc_status",
    "googleapis-common-protos": "google",
    "python-calamine": "python_calamine",
    "XlsxWriter": "xlsxwriter",
    "matplotlib": "matplotlib",
    "numba": "numba",
    "scipy": "scipy",
}
"""The packages of the extras for users, by the names that they are imported by."""
OF_OTHERS = ("polars", "IPython", "py4j")
"""What a user may have, and no extra brings."""
FOR_BUILDERS = {"docs", "browser", "dev"}

WITHOUT = """
import importlib, pkgutil, sys
for name in sys.argv[1:]:
    sys.modules[name] = None
import ordermade
from ordermade.errors import InputError
for each in pkgutil.walk_packages(ordermade.__path__, "ordermade."):
    if each.name.endswith("__main__"):
        continue
    try:
        importlib.import_module(each.name)
    except InputError as error:
        assert "numba" in error.what, (each.name, error.what)
        assert each.name.startswith(ROOMS), each.name
"""
ROOMS = (
    "ordermade.compiled",
    "ordermade.demo.recommend",
    "ordermade.methods.histories.",
    "ordermade.methods.microaggregation.",
    "ordermade.methods.mondrian.",
)
"""What groups records by compiled code says so when it is imported; nothing else imports it before it is used."""


def _packages() -> set[str]:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    listed = {name: each for name, each in project["optional-dependencies"].items() if name not in FOR_BUILDERS}
    return {Requirement(one).name for each in listed.values() for one in each} - {"ordermade"}


def test_every_package_of_an_extra_is_known_here() -> None:
    assert _packages() == set(IMPORTED_AS)


def test_without_the_extras_every_module_but_those_of_compiled_methods_is_imported() -> None:
    code = WITHOUT.replace("ROOMS", repr(ROOMS))
    command = [sys.executable, "-c", code, *IMPORTED_AS.values(), *OF_OTHERS]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
