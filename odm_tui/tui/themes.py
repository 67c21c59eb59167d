"""The themes: dark, light, high contrast, no colour, and all themes of Textual, adapted.

One accent colour marks keys and the likeliest outcome; warnings and errors have their own. No information is in the
colour alone: keys are reversed, probabilities are also numbers, and marks are also signs.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from textual.theme import BUILTIN_THEMES, Theme

if TYPE_CHECKING:
    from textual.color import Color

DARK = Theme(
    name="dark",
    primary="#5fb3b3",
    secondary="#8aa0b4",
    accent="#5fb3b3",
    warning="#e0b050",
    error="#e07a6e",
    success="#8fbf7f",
    foreground="#e6e6e1",
    background="#16191d",
    surface="#1d2126",
    panel="#262b31",
    dark=True,
    variables={
        "block-cursor-background": "#2f4a4d",
        "block-cursor-foreground": "#f2f2ee",
        "block-cursor-text-style": "bold",
        "border": "#5fb3b3",
        "border-blurred": "#323840",
        "quiet": "#9aa3ab",
        "bar": "#7c8893",
        "rail": "#31373e",
        "scrollbar": "#3d444c",
        "scrollbar-hover": "#4d555e",
        "scrollbar-active": "#5fb3b3",
        "scrollbar-background": "#1d2126",
        "scrollbar-background-hover": "#1d2126",
        "scrollbar-background-active": "#1d2126",
    },
)

LIGHT = Theme(
    name="light",
    primary="#0b6e75",
    secondary="#4c5a66",
    accent="#0b6e75",
    warning="#8a5a00",
    error="#a8322a",
    success="#3a6b2c",
    foreground="#1c2126",
    background="#fbfaf7",
    surface="#f1efe9",
    panel="#e6e3db",
    dark=False,
    variables={
        "block-cursor-background": "#cfe3e2",
        "block-cursor-foreground": "#10262a",
        "block-cursor-text-style": "bold",
        "border": "#0b6e75",
        "border-blurred": "#cfcbc1",
        "quiet": "#56606a",
        "bar": "#74808a",
        "rail": "#dcd8cf",
        "scrollbar": "#bdb8ac",
        "scrollbar-hover": "#a9a498",
        "scrollbar-active": "#0b6e75",
        "scrollbar-background": "#f1efe9",
        "scrollbar-background-hover": "#f1efe9",
        "scrollbar-background-active": "#f1efe9",
    },
)

HIGH_CONTRAST = Theme(
    name="high contrast",
    primary="#ffff00",
    secondary="#ffffff",
    accent="#ffff00",
    warning="#ffd000",
    error="#ff8080",
    success="#80ff80",
    foreground="#ffffff",
    background="#000000",
    surface="#000000",
    panel="#000000",
    dark=True,
    text_alpha=1.0,
    variables={
        "block-cursor-background": "#ffff00",
        "block-cursor-foreground": "#000000",
        "block-cursor-text-style": "bold",
        "border": "#ffff00",
        "border-blurred": "#ffffff",
        "text": "#ffffff",
        "text-muted": "#ffffff",
        "quiet": "#ffffff",
        "bar": "#ffffff",
        "rail": "#5a5a5a",
        "scrollbar": "#ffffff",
        "scrollbar-hover": "#ffff00",
        "scrollbar-active": "#ffff00",
        "scrollbar-background": "#000000",
        "scrollbar-background-hover": "#000000",
        "scrollbar-background-active": "#000000",
    },
)

_PLAIN = "ansi_default"
NO_COLOUR = Theme(
    name="no colour",
    ansi=True,
    primary=_PLAIN,
    secondary=_PLAIN,
    accent=_PLAIN,
    warning=_PLAIN,
    error=_PLAIN,
    success=_PLAIN,
    foreground=_PLAIN,
    background=_PLAIN,
    surface=_PLAIN,
    panel=_PLAIN,
    boost=_PLAIN,
    dark=True,
    variables={
        "ansi-background": _PLAIN,
        "ansi-foreground": _PLAIN,
        "block-cursor-background": _PLAIN,
        "block-cursor-foreground": _PLAIN,
        "block-cursor-text-style": "bold underline",  # Textual leaves "reverse" out of the styles of lists
        "block-cursor-blurred-text-style": "bold underline",
        "border": _PLAIN,
        "border-blurred": _PLAIN,
        "scrollbar": _PLAIN,
        "scrollbar-hover": _PLAIN,
        "scrollbar-active": _PLAIN,
        "scrollbar-background": _PLAIN,
        "scrollbar-background-hover": _PLAIN,
        "scrollbar-background-active": _PLAIN,
        "scrollbar-corner-color": _PLAIN,
        "input-selection-background": _PLAIN,
        "screen-selection-background": _PLAIN,
        "screen-selection-foreground": _PLAIN,
        "quiet": _PLAIN,
        "bar": _PLAIN,
        "rail": _PLAIN,
    },
)

OWN_THEMES = {theme.name: theme for theme in (DARK, LIGHT, HIGH_CONTRAST, NO_COLOUR)}
"""The themes that F2 goes through."""
THEME_NAMES = (*OWN_THEMES, *BUILTIN_THEMES)
"""The names of all themes that can be chosen, odm-tui's own first."""

READABLE = 4.5
"""The contrast of text to its background that the accessibility guidelines (WCAG 2, level AA) ask for."""


def find_theme(name: str) -> Theme:
    """The theme with this name; one of Textual gets the colours that it lacks, and an accent that can be read."""
    return OWN_THEMES[name] if name in OWN_THEMES else adapt_theme(BUILTIN_THEMES[name])


def adapt_theme(theme: Theme) -> Theme:
    """A theme of Textual with odm-tui's own colours; texts in accent and quiet colours can be read on every ground."""
    if theme.ansi:
        plain = {"quiet": _PLAIN, "bar": _PLAIN, "rail": "ansi_bright_black", "border": _PLAIN}
        return replace(theme, variables={**theme.variables, **plain})
    from textual.color import Color

    colours = {name: Color.parse(text) for name, text in _solid(theme.to_color_system().generate()).items()}
    foreground, background = colours["foreground"], colours["background"]
    grounds = [colours[name] for name in ("background", "surface", "panel")]
    accent = _make_readable(colours["accent"], grounds, theme.dark)
    cursor = background.blend(accent, 0.25)
    variables = {
        "block-cursor-background": cursor.hex,
        "block-cursor-foreground": _make_readable(foreground, [cursor], theme.dark).hex,
        "block-cursor-text-style": "bold",
        "border": accent.hex,
        "border-blurred": background.blend(foreground, 0.2).hex,
        "quiet": _make_readable(background.blend(foreground, 0.7), grounds, theme.dark).hex,
        "bar": background.blend(foreground, 0.5).hex,
        "rail": background.blend(foreground, 0.18).hex,
    }
    return replace(
        theme,
        accent=accent.hex,
        foreground=_make_readable(foreground, grounds, theme.dark).hex,
        background=background.hex,
        surface=colours["surface"].hex,
        panel=colours["panel"].hex,
        warning=_make_readable(colours["warning"], grounds, theme.dark).hex,
        error=_make_readable(colours["error"], grounds, theme.dark).hex,
        success=_make_readable(colours["success"], grounds, theme.dark).hex,
        variables={**theme.variables, **variables},
    )


def _solid(colours: dict[str, str]) -> dict[str, str]:
    """Those of these colours that are plain hexadecimal ones."""
    return {name: text for name, text in colours.items() if text.startswith("#") and " " not in text}


def _make_readable(colour: Color, grounds: Iterable[Color], dark: bool) -> Color:
    """The colour, made lighter on dark grounds and darker on light ones until it can be read on all of them."""
    from textual.color import Color

    grounds = list(grounds)
    for step in range(21):
        made = colour.blend(Color.parse("white" if dark else "black"), step / 20)
        if min(contrast(made, ground) for ground in grounds) >= READABLE:
            break
    return made


def contrast(one: Color, other: Color) -> float:
    """The contrast of two colours, from 1 to 21, as WCAG 2 defines it.

    >>> from textual.color import Color
    >>> round(contrast(Color.parse("white"), Color.parse("black")), 2), contrast(Color.parse("red"), Color.parse("red"))
    (21.0, 1.0)
    """
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: Color) -> float:
    parts = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in colour.normalized]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
