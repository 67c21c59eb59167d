"""Keep the banks that were read, and read one again when its file has changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from odm_tui.banks.bank import Bank


class BankCache:
    """The banks that were read, by name; threads can share it without waiting for each other."""

    def __init__(self) -> None:
        self._found: dict[str, tuple[Bank, object]] = {}

    def get(self, name: str) -> Bank:
        """The bank with this name; its file is read once."""
        found = self._found.get(name)
        if found is None:
            from odm_tui.banks import load_bank

            bank = load_bank(name)
            found = self._found.setdefault(name, (bank, _file_version(bank)))
        return found[0]

    def reload_if_changed(self, name: str) -> bool:
        """Read a bank again if its file has changed; whether the bank is different now."""
        found = self._found.get(name)
        if found is None or _file_version(found[0]) == found[1]:
            return False
        self._found.pop(name, None)
        return self.get(name).hash != found[0].hash


def _file_version(bank: Bank) -> object:
    """A value that changes when the bank's file changes; None if the file is gone."""
    try:
        found = bank.path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
