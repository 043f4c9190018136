"""What to judge of a locally recoded release: by the options, else by the manifest beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ordermade.catalogue.any_table import AnyTable, column_named
from ordermade.catalogue.hierarchies import Hierarchies
from ordermade.errors import HierarchyError, InputError, StateMissing, UnknownName, quoted
from ordermade.evaluation.rounds import KnownRounds, known_rounds, listed_rounds, rounds_in
from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.hierarchies.read import read_hierarchy
from ordermade.release.files import manifest_of, read_manifest


@dataclass(frozen=True, slots=True)
class RecodingOptions:
    """The options of a judgement of a locally recoded release.

    `hierarchies`: by column, the path of a hierarchy's file or the name of a registered one. `columns`: the
    quasi-identifiers, by whose labels rows are in classes; None: those with a hierarchy. What is left out of both is as
    in the manifest beside the release, where there is one. `rounds`: the file that lists them, or the list itself;
    None: those of the manifest. `k`: what the release promises; None: as in the manifest. `sensitive`: the columns
    whose values that remain possible are counted, with the original; None: those of the manifest.
    """

    hierarchies: Mapping[str, str | Path]
    columns: Sequence[str] | None = None
    rounds: str | Path | Sequence[Mapping[str, Any]] | None = None
    k: int | None = None
    sensitive: Sequence[str] | None = None


@dataclass(frozen=True, slots=True)
class RecodingContext:
    """The columns to judge, their hierarchies and the names of these, the rounds and k, by options or the manifest.

    `sensitive`: the columns whose values that remain possible are counted.
    """

    columns: tuple[str, ...]
    hierarchies: Mapping[str, Hierarchy]
    names: Mapping[str, str]
    rounds: KnownRounds | None
    k: int | None
    not_judged: tuple[str, ...]
    noted: ManifestRecoding
    sensitive: tuple[str, ...]

    @classmethod
    def of(
        cls, wanted: RecodingOptions, release: AnyTable, stored: Sequence[str], registered: Hierarchies
    ) -> RecodingContext:
        """The setting of a release with these columns. Raises InputError, UnknownName, HierarchyError, ReleaseFault."""
        manifest = _manifest_of(release.named)
        by_manifest = {} if manifest is None else _hierarchies_in(manifest)
        given = {column_named("--hierarchy", name, stored): str(each) for name, each in wanted.hierarchies.items()}
        if wanted.columns is not None:
            columns = [column_named("--columns", each, stored) for each in wanted.columns]
        else:
            where = str(manifest_of(Path(release.named)))
            columns = [column_named(where, each, stored) for each in by_manifest] or list(given)
        columns += [each for each in given if each not in columns]
        if not columns or not (given or any(by_manifest.values())):
            raise InputError(
                "no hierarchy says which values the labels name",
                where=release.named,
                next_step="Give that of each generalised column: --hierarchy COLUMN=FILE.",
            )
        hierarchies: dict[str, Hierarchy] = {}
        names: dict[str, str] = {}
        for column in columns:
            if column in given:
                hierarchies[column], names[column] = hierarchy_of(column, given[column], registered), given[column]
            elif (noted := by_manifest.get(column)) is not None:
                hierarchies[column], names[column] = noted_hierarchy(column, *noted, registered), noted[0]
        k = wanted.k
        if k is None and manifest is not None and isinstance(manifest.get("k"), int):
            k = _requested_k(manifest)
        return cls(
            tuple(dict.fromkeys(columns)),
            hierarchies,
            names,
            _rounds(wanted, manifest, release.named),
            k,
            tuple(each for each in stored if each not in columns),
            ManifestRecoding.of(manifest, release.named),
            _sensitive(wanted.sensitive, manifest, stored, columns),
        )


def _sensitive(
    wanted: Sequence[str] | None, manifest: Mapping[str, Any] | None, stored: Sequence[str], judged: Sequence[str]
) -> tuple[str, ...]:
    """The sensitive columns, as stored. Raises InputError for one that is a quasi-identifier here, UnknownName."""
    if wanted is None:
        request = None if manifest is None else manifest.get("request")
        noted = request.get("sensitive") if isinstance(request, Mapping) else None
        known = {each.casefold(): each for each in stored if each not in judged}
        listed = noted if isinstance(noted, Mapping) else ()
        return tuple(known[name] for each in listed if (name := str(each).casefold()) in known)
    found = tuple(dict.fromkeys(column_named("--sensitive", each, stored) for each in wanted))
    for each in found:
        if each in judged:
            raise InputError(
                f"{quoted(each)} is a quasi-identifier here, whose values are narrowed by column",
                where="--sensitive",
                next_step="Leave it out of --sensitive, or of --columns and --hierarchy.",
            )
    return found


@dataclass(frozen=True, slots=True)
class ManifestRecoding:
    """Further notes of a manifest: whether suppressed rows stayed as `*`, whether classes overlap. None: not known."""

    has_star_rows: bool | None
    overlaps: bool | None

    @classmethod
    def of(cls, manifest: Mapping[str, Any] | None, release: str) -> ManifestRecoding:
        """The notes of a manifest. Raises InputError for a statistical table, whose rows are classes."""
        if manifest is None:
            return cls(None, None)
        request = manifest.get("request")
        placed = request.get("release") if isinstance(request, Mapping) else None
        if isinstance(placed, Mapping) and placed.get("shape") == "table":
            raise InputError(
                "this is a statistical table: its rows are classes, with a count each",
                where=release,
                next_step="Judge the same request released with shape: rows.",
            )
        stars, recoding = manifest.get("star_rows"), manifest.get("recoding")
        # Manifests of rounds say `local`, as those did that were written before any release was sealed.
        overlaps = None if not isinstance(recoding, str) else recoding in ("local", "held")
        if manifest.get("method") == "mondrian":
            overlaps = _is_relaxed(request)
        return cls(bool(stars) if isinstance(stars, int) else None, overlaps)


def _is_relaxed(request: object) -> bool:
    """Whether a request for Mondrian lets classes overlap: values equal to a median are dealt out to both halves."""
    options = request.get("mondrian") if isinstance(request, Mapping) else None
    return isinstance(options, Mapping) and options.get("strict") is False


def _manifest_of(release: str) -> Mapping[str, Any] | None:
    """The manifest beside the file of a generalised release, or one of Mondrian; None where there is none of such.

    Raises ReleaseFault where it is damaged.
    """
    path = Path(release).expanduser()
    if not path.is_file() or not manifest_of(path).is_file():
        return None
    found = read_manifest(path)
    return found if found.get("method") in ("generalization", "mondrian") else None


def _hierarchies_in(manifest: Mapping[str, Any]) -> dict[str, tuple[str, str | None] | None]:
    """By quasi-identifier the name and the hash of its hierarchy; None where its labels are of none.

    Of Mondrian those are split along a hierarchy (`nested`); others have intervals or sets as labels.
    """
    listed = manifest.get("quasi_identifiers")
    found: dict[str, tuple[str, str | None] | None] = {}
    for each in listed if isinstance(listed, list) else ():
        if isinstance(each, Mapping) and isinstance(each.get("column"), str):
            name = each.get("hierarchy") if each.get("split_as", "nested") == "nested" else None
            found[each["column"]] = (name, each.get("hierarchy_hash")) if isinstance(name, str) else None
    return found


def _requested_k(manifest: Mapping[str, Any]) -> int | None:
    request = manifest.get("request")
    k = request.get("k") if isinstance(request, Mapping) else None
    return k if isinstance(k, int) else manifest.get("k")


def hierarchy_of(column: str, given: str, registered: Hierarchies) -> Hierarchy:
    """The hierarchy in a file, or registered under a name."""
    path = Path(given).expanduser()
    if path.is_file():
        return read_hierarchy(path, path.stem).hierarchy
    try:
        return registered.get(given)
    except (UnknownName, StateMissing) as error:
        raise UnknownName(
            "file or registered hierarchy",
            given,
            where=f"--hierarchy of {quoted(column)}",
            next_step=error.next_step or "Give the path of its file.",
        ) from None


def noted_hierarchy(column: str, name: str, noted: str | None, registered: Hierarchies) -> Hierarchy:
    """The hierarchy that the manifest names, as it was at the release."""
    step = f"Give the hierarchy that the release was made with: --hierarchy {column}=FILE."
    try:
        found = registered.get(name)
    except (UnknownName, StateMissing):
        raise UnknownName(
            "registered hierarchy", name, where=f"manifest, column {quoted(column)}", next_step=step
        ) from None
    if noted is not None and found.content_hash != noted:
        raise HierarchyError(
            f"the hierarchy {quoted(name)} changed since the release",
            where=f"manifest, column {quoted(column)}",
            next_step=step,
        )
    return found


def _rounds(wanted: RecodingOptions, manifest: Mapping[str, Any] | None, release: str) -> KnownRounds | None:
    if isinstance(wanted.rounds, str | Path):
        return rounds_in(Path(wanted.rounds).expanduser())
    if wanted.rounds is not None:
        return known_rounds(wanted.rounds, "rounds")
    listed = listed_rounds(manifest) if manifest is not None else ()
    return known_rounds(listed, str(manifest_of(Path(release)))) if listed else None
