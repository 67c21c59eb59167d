"""Every error odm-tui raises on purpose: one tree, each with its exit code and one plain sentence.

::

    OdmError                    1   the base; catch this to catch them all
    ├── BadArgument             2   a call or an option that makes no sense (also a ValueError)
    ├── BadData                65   a bank, state file, log or answer that can't be used (also a ValueError)
    ├── CannotWrite            73   a full or read-only disk, an I/O error
    └── Locked                 75   another process holds the state

The sentence names what is wrong, where, and what to do about it. It is all the user sees.
"""

from __future__ import annotations


class OdmError(Exception):
    """Something went wrong in a way that the user can understand and act on."""

    exit_code = 1


class BadArgument(OdmError, ValueError):
    """An argument that makes no sense: a wrong shape, a negative cost, an unknown name."""

    exit_code = 2


class BadData(OdmError, ValueError):
    """A file or an answer that can't be used as it is."""

    exit_code = 65


class CannotWrite(OdmError):
    """The disk did not take what had to be written; what was there before is intact."""

    exit_code = 73


class Locked(OdmError):
    """Another process holds the state; nothing was changed."""

    exit_code = 75
