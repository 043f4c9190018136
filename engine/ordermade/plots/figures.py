"""The style of figures, and their way into a file. Needs the extra `plot`."""

from __future__ import annotations

import contextlib
import io
import math
import unicodedata
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import matplotlib as mpl
from matplotlib import font_manager
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from ordermade.plots.plot_files import check_plot, ending_of
from ordermade.state.new_files import new_file

BLUE, ORANGE, BLACK, GREY = "#0072B2", "#D55E00", "#000000", "#6E6E6E"
"""From Okabe and Ito's palette: distinct with every common kind of colour blindness, and in grey by their lightness."""

STYLE: Final[Any] = {
    "font.size": 10.5,
    "axes.titlesize": 11.5,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.grid": True,
    "grid.color": "#E3E3E3",
    "grid.linewidth": 0.7,
    "legend.frameon": False,
    "legend.fontsize": 9.5,
    "lines.linewidth": 1.8,
    "path.simplify": False,
    "savefig.facecolor": "white",
    "svg.fonttype": "none",  # letters as letters: they can be searched, copied and read aloud
    "text.parse_math": False,  # a dollar sign in a name is one
    "svg.hashsalt": "ordermade",  # else every SVG gets identifiers of its own
}


PLAIN_FONT = "DejaVu Sans"
"""It comes with matplotlib: the same picture everywhere, but for the letters that it lacks."""
JAPANESE_FONTS = (
    "Noto Sans CJK JP", "Noto Sans JP", "Source Han Sans JP", "IPAexGothic", "IPAGothic", "TakaoGothic", "VL Gothic",
    "Hiragino Sans", "Hiragino Kaku Gothic ProN", "Yu Gothic", "Meiryo", "MS Gothic", "Noto Sans CJK SC",
    "WenQuanYi Zen Hei", "Droid Sans Fallback",
)  # fmt: skip
"""The first of them that is installed has the letters that the plain font lacks."""
TITLE_SIZE = 11.5
LETTER = 0.62
"""The width of a Latin letter in its height, about; of a Japanese one twice that."""


@contextlib.contextmanager
def drawn(
    path: Path,
    panels: int = 1,
    *,
    across: int | None = None,
    size: tuple[float, float] = (7.2, 4.8),
    title: Sequence[str] = (),
) -> Iterator[tuple[Axes, ...]]:
    """Axes to draw on, `panels` of them; at the end they are the file `path`, the same bytes for the same drawing.

    They stand side by side, or `across` of them in a row. `size` is the figure's in inches; the lines of `title` stand
    above all panels, each cut to two lines of that width. Raises what `check_plot` does, StateFault where the file
    cannot be written.
    """
    check_plot(path)
    with drawing(panels, across=across, size=size, title=title) as axes:
        yield axes
        picture_of(axes, size, across or panels).write(path)


@contextlib.contextmanager
def drawing(
    panels: int = 1,
    *,
    across: int | None = None,
    size: tuple[float, float] = (7.2, 4.8),
    title: Sequence[str] = (),
) -> Iterator[tuple[Axes, ...]]:
    """Axes to draw on, as `drawn` has them, which become no file: `picture_of` shows them."""
    with styled():
        figure = Figure(figsize=size, layout="constrained")
        FigureCanvasAgg(figure)
        across = across or panels
        axes = figure.subplots(math.ceil(panels / across), across, squeeze=False).ravel()
        for place in axes[panels:]:
            place.set_axis_off()
        if title:
            room = letters(size[0], TITLE_SIZE)
            lines = [line for each in title for line in wrapped(each, room)]
            figure.suptitle("\n".join(lines), x=0.01, ha="left", fontsize=TITLE_SIZE)
        yield tuple(axes[:panels])


@contextlib.contextmanager
def styled() -> Iterator[None]:
    """The style of every figure, whatever the settings of the reader are."""
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(STYLE)
        mpl.rcParams["font.family"] = fonts()
        yield


@dataclass(frozen=True, slots=True)
class Picture:
    """A plot. A notebook shows it; `save` makes it a file; `figure` is that of matplotlib, to be changed.

    Example:
        >>> picture = release.plot()
        >>> picture.save("release.png").name
        'release.png'
    """

    figure: Figure
    room: int = field(default=80, repr=False)
    """The Latin letters that stand across one panel."""

    def save(self, path: str | Path) -> Path:
        """Writes the plot into a new file, mode 0600.

        Args:
            path: The file, which ends in .png or .svg.

        Returns:
            The path of the file.

        Raises:
            InputError: The file exists, or has another ending.
            StateFault: It cannot be written.

        Example:
            >>> release.plot().save("release.svg").name
            'release.svg'
        """
        place = Path(path).expanduser()
        check_plot(place)
        with styled():
            self.write(place)
        return place

    def write(self, path: Path) -> None:
        """Writes the file, where the style is in force. Raises StateFault where it cannot be written."""
        kind = ending_of(path)[1:]
        with new_file(path, "plot") as made:
            self._into(made, kind)

    def _repr_png_(self) -> bytes:
        """The plot as a notebook shows it."""
        with styled(), io.BytesIO() as made:
            self._into(made, "png")
            return made.getvalue()

    def _into(self, made: Path | io.BytesIO, kind: str) -> None:
        # Neither the date nor the version of matplotlib is part of the drawing.
        silent = {"Date": None, "Creator": None} if kind == "svg" else {"Software": None}
        if kind == "png":
            for text in self.figure.findobj(Text):
                if isinstance(text, Text):
                    lines = text.get_text().split("\n")
                    text.set_text("\n".join(_drawable_line(line, self.room) for line in lines))
        with warnings.catch_warnings():
            # The letters of an SVG are those of its reader's fonts.
            warnings.filterwarnings("ignore", message=r"Glyph .* missing from")
            self.figure.savefig(made, format=kind, dpi=150, metadata=silent)


def picture_of(axes: Sequence[Axes], size: tuple[float, float], across: int = 1) -> Picture:
    """The picture of axes that were drawn on, of a size in inches, with so many panels in a row."""
    figure = axes[0].get_figure(root=True)
    if figure is None:
        raise ValueError("axes of no figure")
    return Picture(figure, letters(size[0] / across, TITLE_SIZE))


def fonts() -> list[str]:
    """The plain font, and one of Japanese letters if it is installed."""
    installed = {each.name for each in font_manager.fontManager.ttflist}
    return [PLAIN_FONT, *[each for each in JAPANESE_FONTS if each in installed][:1]]


def drawable(text: str) -> str:
    """The text with each letter that none of the fonts has written as its number, such as U+8A9E."""
    known = [font_manager.get_font(font_manager.findfont(each)) for each in fonts()]
    return "".join(
        each if each == "\n" or any(font.get_char_index(ord(each)) for font in known) else f"[U+{ord(each):04X}]"
        for each in text
    )


def _drawable_line(line: str, room: int) -> str:
    """The line with numbers for such letters, no longer than it was, unless there is room for more."""
    drawn = drawable(line)
    return line if drawn == line else short(drawn, max(width_of(line), room))


def letters(inches: float, size: float) -> int:
    """The number of Latin letters of a size, in points, that stand in a line so long."""
    return int(72 * inches / (size * LETTER))


def width_of(text: str) -> int:
    """The width of a text in Latin letters: a wide letter, such as a Japanese one, is two."""
    return sum(2 if unicodedata.east_asian_width(each) in "WF" else 1 for each in text)


def wrapped(text: str, room: int, lines: int = 2) -> list[str]:
    """The text in one line of so many Latin letters, or in up to `lines`; an ellipsis stands for what is left out.

    Line breaks and control characters are blanks. A line ends between words, unless one is longer than the line.
    """
    rest = " ".join("".join(" " if unicodedata.category(each)[0] in "CZ" else each for each in text).split())
    found: list[str] = []
    while width_of(rest) > room and len(found) < lines - 1:
        line = _beginning(rest, room)
        if " " in line and not rest[len(line) :].startswith(" "):
            line = line[: line.rindex(" ")]
        found.append(line)
        rest = rest[len(line) :].lstrip()
    return [*found, rest if width_of(rest) <= room else _beginning(rest, room - 1).rstrip() + "…"]


def short(text: str, room: int) -> str:
    """The text in one line of so many Latin letters."""
    return wrapped(text, room, lines=1)[0]


def _beginning(text: str, room: int) -> str:
    """As many letters as there is room for, one at least."""
    place, used = 0, 0
    while place < len(text) and (used := used + width_of(text[place])) <= room:
        place += 1
    return text[: max(place, 1)]


def file_name(named: str) -> str:
    """A table as its user wrote it, without the folders of a file: a picture goes further than its machine."""
    return named if "://" in named else Path(named.replace("\\", "/")).name or named


def legend_below(axes: Axes, columns: int = 4) -> None:
    """The legend of the axes under the whole figure, where it covers nothing."""
    handles, labels = axes.get_legend_handles_labels()
    axes.figure.legend(handles, labels, loc="outside lower center", ncols=min(columns, len(labels)))


def plain_logarithms(axes: Axes, *, x: bool = True, y: bool = True) -> None:
    """Logarithmic axes whose ticks are written out (1,000, not 10^3), minor ones unlabelled."""
    for wanted, scale, axis in ((x, axes.set_xscale, axes.xaxis), (y, axes.set_yscale, axes.yaxis)):
        if wanted:
            scale("log")
            axis.set_major_locator(LogLocator(base=10, numticks=12))
            axis.set_minor_locator(LogLocator(base=10, subs=range(2, 10), numticks=12))
            axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))
            axis.set_minor_formatter(NullFormatter())
