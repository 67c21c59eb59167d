"""Text that is safe to show: characters that could control a terminal become a visible mark.

Characters that ``str.isprintable`` does not call printable are treated like this:

- a newline stays; ``\\r\\n`` and ``\\r`` become a newline; tabs and the spaces of typography (no-break
  space, narrow space, ideographic space) become a plain space;
- the zero-width joiner and non-joiner stay between two letters of a script other than ASCII, where
  spelling needs them (Persian, Urdu, the scripts of India); between two emoji the joiner is left out,
  because terminals disagree about the width of joined emoji; the parts are shown side by side;
- everything else (escape, the other control characters, direction overrides, soft hyphens, characters
  newer than this Python) becomes ``MARK``.

Combining marks are printable and stay, up to ``MOST_MARKS`` in a row: more would overlap other lines.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable

MARK = "\ufffd"
NO_BREAK = "\u00a0"
"""A space at which no line ends; it is shown as a plain one."""
MOST_MARKS = 8
_JOINERS = "\u200c\u200d"
_EMOJI_JOINER = "\u200d"
_LINE_ENDS = re.compile("\r\n?")


def clean_text(text: str) -> str:
    """Make everything that is not plainly printable visible and harmless.

    >>> clean_text("red\\x1b]0;title\\x07")
    'red\ufffd]0;title\ufffd'
    """
    if text.isprintable() and text.isascii():
        return text
    text = _LINE_ENDS.sub("\n", text)
    cleaned: list[str] = []
    marks = 0
    for position, character in enumerate(text):
        if character.isascii():
            marks = 0
            shown = character if character.isprintable() or character == "\n" else _substitute(character)
            cleaned.append(shown)
            continue
        category = unicodedata.category(character)
        marks = marks + 1 if category in ("Mn", "Me") else 0
        if marks > MOST_MARKS:
            continue
        if character.isprintable():
            cleaned.append(character)
        elif character in _JOINERS:
            cleaned.append(_joiner(text, position))
        else:
            cleaned.append(" " if category == "Zs" else MARK)
    return "".join(cleaned)


def one_line(text: str) -> str:
    """Clean a text and make every run of white space one space: for titles and labels."""
    return " ".join(clean_text(text).split())


def shorten(text: str, limit: int) -> str:
    """Cut a text to ``limit`` characters; the last one is an ellipsis then."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


def quote_names(names: Iterable[str], limit: int = 8) -> str:
    """Write names in quotes, separated by commas, and leave out the last ones if there are many.

    >>> quote_names(["red", "green", "blue"], 2)
    "'red', 'green', …"
    """
    shown: list[str] = []
    for name in names:
        if len(shown) == limit:
            shown.append("…")
            break
        shown.append(repr(shorten(one_line(name), 64)))
    return ", ".join(shown)


def find_nearest_name(word: str, names: Iterable[str]) -> str | None:
    """Find the name that was probably meant: the only one with this beginning, or the closest in spelling.

    >>> find_nearest_name("w-ec2-st", ["w-ec2-ts", "random"])
    'w-ec2-ts'
    """
    import difflib

    word, names = word[:80], list(names)
    same_beginning = [name for name in names if len(word) >= 3 and name.startswith(word)]
    if len(same_beginning) == 1:
        return same_beginning[0]
    by_folded = {name.casefold(): name for name in names if abs(len(name) - len(word)) <= 3}
    close = difflib.get_close_matches(word.casefold(), by_folded, n=1, cutoff=0.6)
    return by_folded[close[0]] if close else None


def unknown_name(kind: str, word: object, names: Collection[str], see: str = "") -> str:
    """Write the error for a name that does not exist: propose the nearest one, or say where to find them all.

    >>> unknown_name("policy", "w-ec2-st", ["w-ec2-ts", "random"])
    "Unknown policy 'w-ec2-st'. Did you mean 'w-ec2-ts'?"
    >>> unknown_name("stop rule", "when done", ["region", "value"])
    "Unknown stop rule 'when done'. Choose one of 'region', 'value'."
    """
    text = shorten(one_line(str(word)), 64)
    names = [str(name) for name in names]  # the names of an enumeration too
    near = find_nearest_name(text, names)
    sentence = f"Unknown {kind} {text!r}."
    if near is not None:
        sentence += f" Did you mean {near!r}?"
    if see:
        return f"{sentence} See {see}."
    return sentence if near is not None else f"{sentence} Choose one of {quote_names(names)}."


def find_unprintable(text: str) -> list[str]:
    """List the characters that :func:`clean_text` replaces by a mark, as ``U+202E``, each once, in order."""
    found = {c: None for c in text if not c.isprintable() and clean_text(c) == MARK and c not in _JOINERS}
    return [f"U+{ord(c):04X}" for c in found]


def slug(text: str, limit: int = 64) -> str:
    """Make a short name of ASCII letters, digits and hyphens from any text; empty if nothing is left.

    >>> slug("Très lent (5 s)")
    'tres-lent-5-s'
    """
    plain = unicodedata.normalize("NFKD", text[: limit * 8]).encode("ascii", "ignore").decode("ascii")
    return re.sub(r"[^a-z0-9]+", "-", plain.lower()).strip("-")[:limit].rstrip("-")


def _substitute(character: str) -> str:
    return " " if character == "\t" else MARK


def _joiner(text: str, position: int) -> str:
    """The replacement of a zero-width joiner or non-joiner, which depends on its neighbours."""
    before = text[position - 1] if position else ""
    after = text[position + 1 : position + 2]
    if _is_foreign_letter(before) and _is_foreign_letter(after):
        return text[position]
    if text[position] == _EMOJI_JOINER and _is_symbol(before) and _is_symbol(after):
        return ""
    return MARK


def _is_foreign_letter(character: str) -> bool:
    if not character or character.isascii():
        return False
    # The variation selectors are marks, but the letters of an emoji are not letters of a script.
    return unicodedata.category(character)[0] in "LM" and character not in "\ufe0e\ufe0f"


def _is_symbol(character: str) -> bool:
    if not character:
        return False
    return unicodedata.category(character) in ("So", "Sk") or character in "\ufe0e\ufe0f"
