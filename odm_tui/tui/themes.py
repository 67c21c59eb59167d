"""The colours of the four themes: dark, light, high contrast, and no colour.

One accent colour marks keys and the likeliest outcome; warnings and errors have their own. No information is in the
colour alone: keys are reversed, probabilities are also numbers, and marks are also signs.
"""

from __future__ import annotations

from textual.theme import Theme

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

THEMES = {theme.name: theme for theme in (DARK, LIGHT, HIGH_CONTRAST, NO_COLOUR)}
