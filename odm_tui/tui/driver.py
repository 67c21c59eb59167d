"""The terminal as it is: a byte that is no UTF-8 is no key, and a failure while reading is told like any other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.drivers.linux_driver import LinuxDriver

if TYPE_CHECKING:
    from textual.driver import Driver


class SturdyDriver(LinuxDriver):
    """Reads keys whatever the terminal sends: a Latin-1 ``ä`` would end Textual's own reader."""

    def run_input_thread(self) -> None:
        """Read on after bytes that can't be decoded; what came with them is lost."""
        while not self.exit_event.is_set():
            try:
                super().run_input_thread()
            except UnicodeDecodeError:
                continue
            return

    def _run_input_thread(self) -> None:
        """Textual would print local variables, and with them answers."""
        try:
            self.run_input_thread()
        except Exception as error:
            self._app.call_later(self._app._handle_exception, error)


def driver_for(usual: type[Driver]) -> type[Driver]:
    """The sturdy driver where Textual would take the one it is made from."""
    return SturdyDriver if usual is LinuxDriver else usual
