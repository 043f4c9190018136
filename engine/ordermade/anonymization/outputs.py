"""The files that `anonymize` writes: the release, its manifest, and a folder with the request to edit and run again."""

from __future__ import annotations

import contextlib
import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ordermade.drafts.hierarchies import file_names
from ordermade.errors import InputError, ReleaseFault
from ordermade.files.encodings import AUTO
from ordermade.files.private import FOLDER_MODE, OwnFolder, new_private_file, random_name, remove_abandoned
from ordermade.release.files import check_target, ending_of, refuse_standing
from ordermade.requests.model import RELEASE_ENDINGS, RELEASE_FILE, checked_path

if TYPE_CHECKING:
    from ordermade.anonymization.plan import HierarchyFile
    from ordermade.anonymization.proposal import Proposal

FOLDER = ".request"
"""The ending of the name of the folder beside a release."""
REQUEST, QUERY, COMMANDS = "request.yaml", "dataset.sql", "run.sh"
AGAIN = "again"
"""The name, without its ending, of the release that `run.sh` writes."""


@dataclass(frozen=True, slots=True)
class Outputs:
    """The paths of the release and of the folder beside it."""

    release: Path
    folder: Path

    @classmethod
    def of(cls, to: str | Path) -> Outputs:
        """The outputs of a release to this file.

        Raises InputError if no release can be written to such a file, if its folder does not exist, or if a file or
        folder of either name exists already.
        """
        text = str(to)
        if not any(text.lower().endswith(each) and not Path(text).name.lower() == each for each in RELEASE_ENDINGS):
            raise InputError(
                f"a release is written to a {RELEASE_FILE}",
                where="--to",
                next_step="Name one, such as release.csv.",
            )
        try:
            checked_path(text)
        except ValueError as error:
            raise InputError(str(error), where="--to", next_step="Name another file.") from None
        release = Path(text).expanduser().absolute()
        if not release.parent.is_dir():
            raise InputError(
                "there is no such folder", where=str(release.parent), next_step="Make it, or name another with --to."
            )
        check_target(release, "--to")
        folder = release.with_name(release.name[: -len(ending_of(release))] + FOLDER)
        refuse_standing(release, "Name another with --to, or move it away.")
        require_free(folder)
        return cls(release, folder)


def require_free(folder: Path) -> None:
    """Raises InputError if a file or folder of this name exists."""
    if folder.exists() or folder.is_symlink():
        raise InputError(
            "there is a file or folder of this name already, and drafts would go there",
            where=str(folder),
            next_step="Name another file with --to, or move it away.",
        )


def default_release(name: str, kind: str) -> str:
    """The name of the file to which a table is released unless `--to` gives one; `kind`: that of its source."""
    return f"{file_name(name)}.anonymized{_ENDINGS.get(kind, '.csv')}"


_ENDINGS: Mapping[str, str] = {"parquet": ".parquet", "workbook": ".xlsx"}
"""The ending of a release without `--to`, by the kind of its source; `.csv` for all others."""


def file_name(name: str) -> str:
    """A safe name of a file, without ending, for a table or column of this name."""
    return file_names([name])[name].removesuffix(".yaml")


def hierarchy_files(hierarchies: Sequence[HierarchyFile]) -> dict[str, str]:
    """The file of each hierarchy by its column, relative to the folder of the request."""
    names = file_names([each.column for each in hierarchies])
    return {each.column: f"hierarchies/{names[each.column].removesuffix('.yaml')}{each.ending}" for each in hierarchies}


def commands(proposal: Proposal, dataset: str, hierarchies: Mapping[str, str], files: Mapping[str, str]) -> str:
    """The shell script that runs the request of the folder again, in a state that it makes and removes.

    `hierarchies`, `files`: the names of the hierarchies, and their files, by column.
    """
    return "\n".join(_lines(proposal, dataset, hierarchies, files)) + "\n"


def _lines(proposal: Proposal, dataset: str, hierarchies: Mapping[str, str], files: Mapping[str, str]) -> Iterator[str]:
    table = proposal.table
    yield "#!/bin/sh"
    yield "# Runs the request of this folder: sh run.sh. Edit request.yaml and hierarchies/ before."
    yield f"# The release is written into this folder, as {AGAIN} with its ending, or beside one of before."
    yield "set -eu"
    yield 'CDPATH="" cd -- "$(dirname -- "$0")"'
    yield "state=$(mktemp -d)"
    yield "trap 'rm -rf \"$state\"' EXIT"
    yield 'export ORDERMADE_STATE="$state/state.sqlite"'
    yield 'ordermade init >"$state/made"'
    reading = [] if table.reading.encoding == AUTO else ["--encoding", table.reading.encoding]
    reading += ["--header"] if table.reading.header else []
    reading += ["--skip-lines", ",".join(map(str, table.reading.skipped))] if table.reading.skipped else []
    yield shell_line("source add", [table.source, table.location], reading)
    of = ["--table", table.table] if proposal.query is None else ["--query", QUERY]
    persons = [] if proposal.wanted.entity is None else ["--entity", proposal.wanted.entity]
    options = ["--source", table.source, *of, *persons, "--least-k", str(proposal.least_k)]
    yield shell_line("dataset add", [dataset], options)
    for column, name in hierarchies.items():
        yield shell_line("hierarchy add", [name, files[column]])
    run = shell_line("request run", [REQUEST], ["--beside"])
    yield f'{run} >"$state/answer" || {{ ended=$?; cat "$state/answer"; exit "$ended"; }}'
    yield "# The release is named from everywhere; what is said of the state is left out, as it is removed here."
    yield f"HERE=$PWD awk '{_FROM_EVERYWHERE}' \"$state/answer\""


_FROM_EVERYWHERE = (
    f'/^release +{AGAIN}/ {{ at = index($0, "{AGAIN}"); '
    '$0 = substr($0, 1, at - 1) ENVIRON["HERE"] "/" substr($0, at) } '
    "!/^Next: / { print }"
)
"""The awk program that makes the path of the release absolute and drops the `Next:` line, which needs the state."""


def shell_line(command: str, arguments: Sequence[str], options: Sequence[str] = ()) -> str:
    """A call of `ordermade`, quoted for a shell; with `--` before arguments that look like options."""
    parted = ["--"] if any(each.startswith("-") for each in arguments) else []
    return f"ordermade {command} {shlex.join([*options, *parted, *arguments] if parted else [*arguments, *options])}"


@contextlib.contextmanager
def staged_folder(folder: Path, contents: Mapping[str, str | bytes]) -> Iterator[OutputFolder]:
    """The folder with these files (by their paths in it), under a temporary name until it is published.

    Only its owner can read it. Unless published, it is removed at the end of the block; after a kill, by the next call.
    Raises ReleaseFault if it cannot be written.
    """
    prefix = f".{folder.name}-"
    remove_abandoned(folder.parent, prefix)
    try:
        made = OwnFolder.made(folder.with_name(random_name(prefix)))
    except OSError as error:
        raise _cannot_write(folder, error) from None
    staged = OutputFolder(folder, made)
    try:
        for path, content in contents.items():
            staged.write(path, content)
        yield staged
    finally:
        if staged.is_published:
            made.leave()
        else:
            made.remove()


@dataclass(slots=True)
class OutputFolder:
    """A folder under a temporary name, `made`, that gets the name `folder` when it is published."""

    folder: Path
    made: OwnFolder
    is_published: bool = False

    def write(self, path: str, content: str | bytes) -> None:
        """Writes a file; `path` is relative to the folder. Raises ReleaseFault."""
        place = self.made.path / path
        try:
            place.parent.mkdir(mode=FOLDER_MODE, exist_ok=True)
            with os.fdopen(new_private_file(place), "wb") as file:
                file.write(content if isinstance(content, bytes) else content.encode("utf-8"))
        except OSError as error:
            raise _cannot_write(self.folder, error) from None

    def publish(self) -> None:
        """Renames the folder to its final name. Raises ReleaseFault if the name is taken or renaming fails."""
        try:
            self.made.path.rename(self.folder)
        except OSError as error:
            raise _cannot_write(self.folder, error) from None
        self.is_published = True


def _cannot_write(folder: Path, error: OSError) -> ReleaseFault:
    return ReleaseFault(
        f"the folder of the request cannot be written ({error.strerror or type(error).__name__})",
        where=str(folder),
        next_step="Check that its place is writable and has free space.",
    )
