"""A place in a store: the store gives it out and takes it back, and nobody else can read it."""

from __future__ import annotations

from typing import TypeVar, final

T = TypeVar("T")


@final
class Cursor:
    """A place in a log, in a list or in a team's store; outside :mod:`odm_tui.store` it is only kept and passed on.

    It has no order, no fields and no text, so that no other part can depend on how a store counts.

    >>> Cursor(17), Cursor(17) == Cursor(17)
    (Cursor(), True)
    """

    __slots__ = ("_place",)

    def __init__(self, place: object) -> None:
        self._place = place

    def __eq__(self, other: object) -> bool:
        """Whether both are the same place, so that values with a cursor in them can be compared."""
        return isinstance(other, Cursor) and self._place == other._place

    def __hash__(self) -> int:
        return hash(self._place)

    def __repr__(self) -> str:
        return "Cursor()"


def read_cursor(cursor: Cursor, kind: type[T]) -> T:
    """Return the place that a cursor stands for; only for the part of the store that gave it out.

    >>> read_cursor(Cursor(17), int)
    17
    """
    place = cursor._place
    if not isinstance(place, kind):
        raise TypeError("This cursor belongs to another kind of store.")
    return place
