"""Copy a bank of a team's store to a temporary log, so that it can be evaluated like any other log.

Rows come in pages and go to disk at once, so memory stays small however many there are, and no transaction of the server
stays open meanwhile. The copy has the index that says what each interview knew.
"""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from odm_tui.errors import BadArgument
from odm_tui.store.paths import StatePaths
from odm_tui.store.team.address import describe_address
from odm_tui.store.team.server import TeamServer
from odm_tui.store.team.sync import BankSync


@contextlib.contextmanager
def copied_log(address: str, bank: str | None = None) -> Iterator[Path]:
    """Copy the events of a bank to a temporary log and yield its path; without a name, the store's only bank."""
    with (
        tempfile.TemporaryDirectory(prefix="odm-tui-replay-") as folder,
        closing(TeamServer(address)) as server,
    ):
        name = _choose_bank(server.heads(), bank, address)
        paths = StatePaths.of(Path(folder), name)
        with closing(BankSync(paths, name)) as sync:
            sync.run(server)
        yield paths.log


def _choose_bank(heads: dict[str, int], bank: str | None, address: str) -> str:
    names = [name for name, head in heads.items() if head]
    if bank is not None and bank in names:
        return bank
    if bank is None and len(names) == 1:
        return names[0]
    where = f"The team's store {describe_address(address)}"
    if not names:
        raise BadArgument(f"{where} has no interviews yet.")
    if bank is None:
        raise BadArgument(f"{where} has several banks. Choose one with --bank: {', '.join(names)}.")
    raise BadArgument(f"{where} has no interviews of the bank {bank!r}; it has {', '.join(names)}.")
