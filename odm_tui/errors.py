"""The errors that odm-tui raises on purpose: one tree, each with an exit code and one plain sentence.

::

    OdmError                    1   the base class; catch this to catch them all
    ├── BadArgument             2   a wrong argument or option (also a ValueError)
    ├── BadData                65   a bank, state file, log or answer that can't be used (also a ValueError)
    ├── CannotWrite            73   a full or read-only disk, an I/O error
    ├── Locked                 75   another process is using the state
    └── StoreUnavailable       75   the team's store can't be used now; everything stays on this machine

The sentence says what is wrong, where, and what to do about it. It is all that the user sees.
"""

from __future__ import annotations


class OdmError(Exception):
    """The base class of all errors that odm-tui raises on purpose."""

    exit_code = 1


class BadArgument(OdmError, ValueError):
    """An argument is wrong: a wrong shape, a negative cost, an unknown name."""

    exit_code = 2


class BadData(OdmError, ValueError):
    """A file or an answer can't be used."""

    exit_code = 65


class CannotWrite(OdmError):
    """A file could not be written. What was there before is intact."""

    exit_code = 73


class Locked(OdmError):
    """Another process is using the state. Nothing was changed."""

    exit_code = 75


class StoreUnavailable(OdmError):
    """The team's store can't be used now. ``code`` is PostgreSQL's code of the error, if there is one."""

    exit_code = 75

    def __init__(self, sentence: str, code: str = "") -> None:
        super().__init__(sentence)
        self.code = code
