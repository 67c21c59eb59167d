"""Take the pictures of the browser page into ``docs/pictures``: python docs/make_browser_pictures.py, with Chromium."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from playwright.sync_api import Browser, sync_playwright

from tests.support.web.browser import Tab, launch_chromium
from tests.support.web.serving import Served, serve

PICTURES = Path(__file__).parent / "pictures"


def main() -> None:
    """Hold the start of one interview on a desktop and on a phone."""
    with (
        tempfile.TemporaryDirectory() as folder,
        serve(Path(folder)) as server,
        sync_playwright() as playwright,
    ):
        browser = launch_chromium(playwright)
        take_picture(browser, server, "browser", "T-4711", {"width": 1000, "height": 620}, touch=False)
        take_picture(browser, server, "browser-phone", "T-4712", {"width": 412, "height": 839}, touch=True)
        browser.close()


def take_picture(
    browser: Browser, server: Served, name: str, case: str, size: dict[str, int], *, touch: bool
) -> None:
    """Answer the first question, and take a picture of the second."""
    context = browser.new_context(
        viewport={"width": size["width"], "height": size["height"]}, has_touch=touch, is_mobile=touch
    )
    tab = Tab(context)
    tab.open(f"{server.url}&bank=troubleshooting&case={case}")
    tab.wait_for(case, "Skip")
    tab.press("2")
    tab.wait_for("question 2", "bulge")
    tab.page.wait_for_timeout(1500)
    tab.picture(PICTURES / f"{name}.png")
    context.close()


main()
