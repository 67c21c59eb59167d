"""``odm-tui serve``: the same screens in a browser."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated

import typer

from odm_tui.cli.common_options import StoreOption
from odm_tui.cli.completion import complete_bank
from odm_tui.cli.output.json_text import format_json

if TYPE_CHECKING:
    from odm_tui.web.access import Access

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command()
def serve(
    bank: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Open this bank first: a name, or the path of a .toml file.",
            autocompletion=complete_bank,
        ),
    ] = None,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Listen on this port; 0 is any free one.")
    ] = 8734,
    state_dir: Annotated[
        str | None, typer.Option(metavar="FOLDER", help="Store interviews and state in this folder.")
    ] = None,
    store: StoreOption = None,
    behind_proxy: Annotated[
        str | None,
        typer.Option(
            metavar="URL", help="The public address, if a proxy on this machine publishes the server."
        ),
    ] = None,
    sessions: Annotated[int, typer.Option(min=1, help="At most this many open screens.")] = 20,
    idle: Annotated[
        float, typer.Option(min=0.01, help="Close a screen after this many minutes without a key.")
    ] = 30,
    theme: Annotated[str | None, typer.Option(metavar="NAME", help="Use this theme.")] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the address as JSON: url, port and token.")
    ] = False,
) -> None:
    """Open the screens in a browser, on this machine.

    Prints one line with the address, token included. Whoever has that line can hold interviews. Stop with Ctrl+C.
    """
    from odm_tui.cli.store_lookup import find_store
    from odm_tui.web.assets import find_assets
    from odm_tui.web.settings import PublicAddress, ServeSettings

    find_assets()  # says which extra is missing before anything else is imported
    if behind_proxy is not None:
        PublicAddress.parse(behind_proxy)
    if bank is not None:
        from odm_tui.banks.locations import find_bank

        find_bank(bank)
    settings = ServeSettings(
        port=port,
        bank=bank,
        state_dir=state_dir,
        store=find_store(store),
        theme=theme,
        public_url=behind_proxy,
        max_sessions=sessions,
        idle_seconds=idle * 60,
    )

    def announce(access: Access, port: int) -> None:
        if as_json:
            typer.echo(format_json({"url": access.url, "port": port, "token": access.token}))
        else:
            typer.echo(f"Open {access.url} in a browser on this machine. Ctrl+C stops the server.")

    from odm_tui.web.server import run_server

    asyncio.run(run_server(settings, announce))
