"""Draw the paper's figures as PNG and SVG files; needs the charts extra."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from odm_tui.engine.problem import Floats
from odm_tui.errors import BadArgument, CannotWrite
from odm_tui.evaluation.report.experiment_results import Curves

PANELS_A_ROW = 3


def draw_curves(curves: Sequence[Curves], folder: Path) -> list[Path]:
    """Draw cost, utility and regret over the interviews, one panel per data set; return the files."""
    figures: dict[str, tuple[str, list[Mapping[str, Floats]], bool]] = {
        "cost": ("mean cost so far", [each.cost for each in curves], False),
        "utility": ("mean utility so far", [each.utility for each in curves], False),
        "regret": ("regret", [{**each.regret, "bound": each.bound} for each in curves], True),
    }
    written = []
    for name, (label, panels, logarithmic) in figures.items():
        figure, axes = make_figure(len(panels), 4.2 * min(len(panels), PANELS_A_ROW), 3.4)
        for axis, each, lines in zip(axes, curves, panels, strict=True):
            for policy, values in lines.items():
                style = {"color": "black", "linestyle": "--"} if policy == "bound" else {}
                axis.plot(range(1, len(values) + 1), values, label=policy, linewidth=1.2, **style)
            axis.set_title(each.dataset)
            axis.set_xlabel("interviews")
            if logarithmic:
                axis.set_yscale("symlog", linthresh=1.0)
        axes[0].set_ylabel(label)
        handles, names = axes[0].get_legend_handles_labels()
        figure.legend(handles, names, loc="outside lower center", ncols=min(len(names), 8), fontsize="small")
        written += save_figure(figure, folder, name)
    return written


def make_figure(panels: int, width: float, height: float) -> tuple[Any, Sequence[Any]]:
    """Return a figure with some panels, at most three in a row, and their axes; ``height`` is that of a row."""
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure
    except ImportError:
        raise BadArgument("Charts need matplotlib. Install it with pip install 'odm-tui[charts]'.") from None
    # The same results give the same file: no date, and element names from a fixed seed.
    mpl.rcParams["svg.hashsalt"] = "odm-tui"
    columns = min(panels, PANELS_A_ROW)
    rows = -(-panels // columns)
    figure = Figure(figsize=(width, rows * height), layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False).ravel()
    for unused in axes[panels:]:
        unused.remove()
    return figure, axes[:panels].tolist()


def save_figure(figure: Any, folder: Path, name: str) -> list[Path]:
    """Write a figure as PNG and SVG; the same figure gives the same bytes."""
    written = []
    for suffix, metadata in (("png", {"Software": None}), ("svg", {"Date": None})):
        path = folder / f"{name}.{suffix}"
        try:
            figure.savefig(path, dpi=150, metadata=metadata)
        except OSError as error:
            raise CannotWrite(
                f"Can't write the chart {path}: {error.strerror}. Choose another folder with --out."
            ) from error
        written.append(path)
    return written
