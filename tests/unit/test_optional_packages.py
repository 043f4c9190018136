"""What an extra installs is imported by the modules that need it alone: without it the rest of the engine is whole."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
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
    "scikit-learn": "sklearn",
    "fastapi": "fastapi",
    "uvicorn": "uvicorn",
    "argon2-cffi": "argon2",
    "python-multipart": "python_multipart",
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
    except ModuleNotFoundError as error:
        assert error.name.partition(".")[0] in NEEDED.get(each.name, ()), (each.name, error.name)
    except InputError as error:
        assert "numba" in error.what, (each.name, error.what)
        assert each.name.startswith(ROOMS), each.name
"""
ROOMS = (
    "ordermade.machine.compiled",
    "ordermade.demo.recommend",
    "ordermade.methods.histories.",
    "ordermade.methods.microaggregation.",
    "ordermade.methods.mondrian.",
)
"""What groups records by compiled code says so when it is imported; nothing else imports it before it is used."""
NEEDED = {
    **dict.fromkeys(
        [f"ordermade.sources.postgresql{each}" for each in ("", "_faults", "_writer")], ("psycopg", "sqlalchemy")
    ),
    **dict.fromkeys([f"ordermade.sources.spark{each}" for each in ("", "_session", "_writer")], ("pyspark", "py4j")),
    "ordermade.sources.polars_columns": ("polars",),
    "ordermade.demo.loading": ("sqlalchemy",),
    **dict.fromkeys(
        [
            f"ordermade.{each}"
            for each in (
                "plots.figures",
                "plots.k_axis",
                "plots.release_plot",
                "plots.sweep_plot",
                "views.answer_plots",
                "views.calibration_plot",
                "views.curve_plots",
                "views.distribution_plots",
            )
        ],
        ("matplotlib",),
    ),
    "ordermade.methods.histories.algorithm.slotted": ("scipy",),
    **dict.fromkeys([f"ordermade.tables.{each}" for each in ("cells", "intervals", "published")], ("scipy",)),
    **dict.fromkeys(
        [
            f"ordermade.portal.{each}"
            for each in ("application", "saved_files", "entrance", "forms", "routing", "visits")
        ]
        + [
            f"ordermade.portal.{each}_pages"
            for each in ("catalogue", "comment", "hierarchy", "offer", "public", "release", "request", "review")
        ],
        ("fastapi",),
    ),
    "ordermade.portal.serving": ("uvicorn",),
    **dict.fromkeys([f"ordermade.sources.mysql{each}" for each in ("", "_writer")], ("pymysql", "sqlalchemy")),
}
"""The modules that are imported where their package is needed alone; what imports them names the extra."""


def _packages() -> set[str]:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    listed = {name: each for name, each in project["optional-dependencies"].items() if name not in FOR_BUILDERS}
    return {Requirement(one).name for each in listed.values() for one in each} - {"ordermade"}


def test_every_package_of_an_extra_is_known_here() -> None:
    assert _packages() == set(IMPORTED_AS)


def test_without_the_extras_every_module_is_imported_but_those_that_need_one() -> None:
    code = WITHOUT.replace("ROOMS", repr(ROOMS)).replace("NEEDED", repr(NEEDED))
    command = [sys.executable, "-c", code, *IMPORTED_AS.values(), *OF_OTHERS]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("package", "location", "named", "extra"),
    [
        ("psycopg", "postgresql://host/db", "psycopg", "postgres"),
        ("pymysql", "mariadb://host/db", "PyMySQL", "mysql"),
        ("sqlalchemy", "mysql://host/db", "SQLAlchemy", "mysql"),
        ("pyspark", "local[2]", "PySpark", "spark"),
    ],
)
@pytest.mark.parametrize("opened", ["open_source", "open_writer"])
def test_without_a_driver_the_extra_is_named(package: str, location: str, named: str, extra: str, opened: str) -> None:
    code = (
        "import sys\n"
        f"sys.modules[{package!r}] = None\n"
        "from ordermade.sources import open\n"
        "from ordermade.files.file_reading import FileReading\n"
        "from ordermade.sources.limits import Limits\n"
        f"of_source = {{'writable': False, 'reading': FileReading()}} if {opened!r} == 'open_source' else {{}}\n"
        f"try: open.{opened}({location!r}, open.kind_of_source({location!r}), limits=Limits(), **of_source)\n"
        "except Exception as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert f"{named} is not installed" in done.stdout
    assert f"pip install 'ordermade[{extra}]'" in done.stdout


def test_judging_a_table_names_the_extra_of_scipy(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("sex,count\nf,X\nm,4\nTotal,8\n", encoding="utf-8")
    code = (
        "import sys; sys.modules['scipy'] = None\n"
        "from ordermade import Engine, OrdermadeError\n"
        "try: Engine().judge_table(sys.argv[1])\n"
        "except OrdermadeError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(file)], capture_output=True, text=True, check=False)
    assert "ordermade[tables]" in done.stdout, done.stderr
