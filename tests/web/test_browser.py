"""Interviews in a real browser: by keys, by mouse, in several tabs, over a bad network, and after a reload."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Route

from tests.support.terminal.terminal import BANK
from tests.support.web.browser import Tab
from tests.support.web.network import Network
from tests.support.web.serving import Served, children_of


def answers(served: Served, bank: str = "led") -> int:
    """How many answers are on disk."""
    return len(served.events(bank, "answered"))


def wait_for_answer(tab: Tab, served: Served, give: Callable[[], None], bank: str = "led") -> None:
    """Give an answer and wait until it is on disk, with what follows from it on the screen."""
    given = answers(served, bank)
    give()
    tab.wait_until(lambda: answers(served, bank) > given, "The answer")
    tab.wait_until(
        lambda: bool(served.events(bank, "decided")) or f"question {given + 2}" in tab.text,
        "The next question",
    )


def answer_until_decided(tab: Tab, served: Served, bank: str = "led") -> None:
    """Press y until the decision is there."""
    while not served.events(bank, "decided"):
        wait_for_answer(tab, served, lambda: tab.press("y"), bank)


def test_a_whole_interview_by_keys_and_the_first_key_needs_no_click(served: Served, tab: Tab) -> None:
    tab.open(served.url)
    tab.wait_for("LED digit", "Yes", "No")
    answer_until_decided(tab, served)
    assert answers(served) >= 1
    assert not tab.errors


def test_a_whole_interview_by_mouse(served: Served, tab: Tab) -> None:
    tab.open(served.url)
    while not served.events("led", "decided"):
        wait_for_answer(tab, served, lambda: tab.click(r"\by +Yes"))
    assert answers(served) >= 1


def test_a_smaller_window_makes_a_smaller_screen(served: Served, tab: Tab) -> None:
    tab.open(served.url)
    tab.wait_for("LED digit", "Yes")
    width = tab.screen.columns
    tab.page.set_viewport_size({"width": 700, "height": 500})
    tab.wait_until(lambda: tab.screen.columns < width and "Yes" in tab.text, "The smaller screen")
    tab.press("y")
    tab.wait_until(lambda: answers(served) == 1, "The answer")


def test_two_tabs_are_two_interviews(served: Served, context: BrowserContext) -> None:
    first, second = Tab(context), Tab(context)
    for each in (first, second):
        each.open(served.url if each is first else served.origin)
        each.wait_for("LED digit", "Yes")
        each.press("y")
    first.wait_until(lambda: answers(served) == 2, "Both answers")
    started = served.events("led", "started")
    assert len({event["interview"] for event in started}) == 2
    assert len(set(served.screens())) == 2


def test_a_reload_shows_the_same_screen_again(served: Served, tab: Tab) -> None:
    tab.open(served.url)
    tab.wait_for("LED digit", "Yes")
    tab.press("y")
    tab.wait_until(lambda: answers(served) == 1, "The answer")
    shown = tab.wait_for("question 2")
    screens = served.screens()
    tab.page.reload()
    tab.wait_for("question 2")
    assert served.screens() == screens
    assert tab.text.splitlines()[2] == shown.splitlines()[2]
    tab.press("n")
    tab.wait_until(lambda: answers(served) == 2, "The answer after the reload")


def test_a_closed_tab_leaves_an_interview_to_resume_and_no_process(
    served: Served, context: BrowserContext
) -> None:
    tab = Tab(context)
    tab.open(served.url)
    tab.wait_for("LED digit", "Yes")
    tab.press("y")
    tab.wait_until(lambda: answers(served) == 1, "The answer")
    other = context.new_page()
    tab.page.close()
    tab.page = other
    tab.wait_until(lambda: not served.screens(), "The end of the screen")
    again = Tab(context)
    again.open(f"{served.origin}/?inbox=1")
    again.wait_for("Inbox", "unfinished")
    again.press("Tab")
    again.press("Enter")
    again.wait_for("LED digit", "question 2")


def test_a_short_network_loss_ends_nothing(start: Callable[..., Served], tab: Tab) -> None:
    with Network() as network:
        served = start("--bank", "led", "--behind-proxy", f"http://127.0.0.1:{network.port}")
        network.target = served.port
        tab.open(served.url)
        tab.wait_for("LED digit", "Yes")
        tab.press("y")
        tab.wait_until(lambda: answers(served) == 1, "The answer")
        screens = served.screens()
        network.cut()
        tab.wait_until(lambda: tab.has_notice, "The notice")
        assert "All answers are saved" in tab.notice()
        network.mend()
        tab.wait_until(lambda: not tab.has_notice and "question 2" in tab.text, "The screen as it was")
        assert served.screens() == screens
        tab.press("n")
        tab.wait_until(lambda: answers(served) == 2, "The answer after the loss")


def test_a_network_that_vanishes_in_silence_is_noticed_and_keys_typed_meanwhile_answer_nothing(
    start: Callable[..., Served], tab: Tab
) -> None:
    with Network() as network:
        served = start("--bank", "led", "--behind-proxy", f"http://127.0.0.1:{network.port}")
        network.target = served.port
        tab.page.clock.install()
        tab.open(served.url)
        tab.wait_for("LED digit", "Yes")
        tab.press("y")
        tab.wait_until(lambda: answers(served) == 1, "The answer")
        screens = served.screens()
        network.silence()
        for _ in range(5):
            tab.page.clock.run_for(4000)
        tab.wait_until(lambda: tab.has_notice, "The notice")
        tab.page.evaluate("document.querySelector('.xterm-helper-textarea').focus()")
        tab.press("n")
        network.cut()
        network.mend()

        def is_back() -> bool:
            tab.page.clock.run_for(3000)
            return not tab.has_notice and "question 2" in tab.text

        tab.wait_until(is_back, "The screen as it was")
        assert served.screens() == screens
        tab.press("y")
        tab.wait_until(lambda: answers(served) == 2, "The answer after the loss")
        given = [event["answer"] for event in served.events("led", "answered")]
        assert given == ["yes", "yes"]


def test_the_cap_is_a_polite_sentence(start: Callable[..., Served], context: BrowserContext) -> None:
    served = start("--bank", "led", "--sessions", "1")
    first, second = Tab(context), Tab(context)
    first.open(served.url)
    first.wait_for("LED digit", "Yes")
    second.open(served.origin)
    second.wait_until(lambda: second.has_notice, "The sentence")
    assert "All places on this server are taken" in second.notice()
    first.press("y")
    first.wait_until(lambda: answers(served) == 1, "The first tab's answer")


def test_an_idle_screen_is_closed_and_nothing_is_lost(start: Callable[..., Served], tab: Tab) -> None:
    served = start("--bank", "led", "--idle", "0.05")
    tab.open(served.url)
    tab.wait_until(lambda: tab.has_notice and "nothing was typed" in tab.notice(), "The sentence")
    tab.wait_until(lambda: not served.screens(), "The end of the screen")


def test_leaving_says_that_everything_is_saved(served: Served, tab: Tab) -> None:
    tab.open(served.url)
    tab.wait_for("LED digit", "Yes")
    tab.press("Control+q")
    tab.wait_until(lambda: tab.has_notice, "The sentence")
    assert "saved" in tab.notice()
    tab.page.locator("#notice button").click()
    tab.wait_for("Charging stop", "LED digit")  # the list of banks, in a new screen


def test_a_killed_server_leaves_no_orphan_and_loses_nothing(served: Served, tab: Tab) -> None:
    tab.open(served.url)
    tab.wait_for("LED digit", "Yes")
    tab.press("y")
    tab.wait_until(lambda: answers(served) == 1, "The answer")
    screens = served.screens()
    workers = [worker for screen in screens for worker in children_of(screen)]
    assert screens
    assert workers
    os.kill(served.process.pid, signal.SIGKILL)
    gone = [Path(f"/proc/{pid}/cmdline") for pid in (*screens, *workers)]
    tab.wait_until(
        lambda: not any(path.exists() and path.read_bytes() for path in gone), "The end of all processes"
    )
    assert answers(served) == 1


def test_a_stopped_server_ends_its_screens_at_once(served: Served, tab: Tab) -> None:
    tab.open(served.url)
    tab.wait_for("LED digit", "Yes")
    screens = served.screens()
    for screen in screens:  # a screen that can't react is killed after a deadline
        os.kill(screen, signal.SIGSTOP)
    served.process.send_signal(signal.SIGTERM)
    served.process.wait(timeout=15)
    assert served.process.returncode == 0
    assert not any(Path(f"/proc/{screen}").exists() for screen in screens)


def test_each_browser_has_its_own_operator(served: Served, browser_pair: tuple[Tab, Tab]) -> None:
    for tab, name in zip(browser_pair, ("Ada", "Grace"), strict=True):
        tab.open(served.url, name)
        tab.wait_for("LED digit", "Yes")
        tab.press("y")
    tab.wait_until(lambda: answers(served) == 2, "Both answers")
    operators = {event["operator"] for event in served.events("led", "started")}
    assert len(operators) == 2
    assert all(operator.startswith("op-") for operator in operators)
    log = (served.state / "led.log.jsonl").read_text()
    assert "Ada" not in log
    assert "Grace" not in log


def test_a_link_from_another_site_starts_an_interview_for_its_case(
    served: Served, tab: Tab, crm: str
) -> None:
    tab.open(served.url)
    tab.wait_for("LED digit", "Yes")
    tab.page.goto(crm)
    link = f"{served.origin}/?bank=navigation&case=T-4711"
    tab.page.evaluate("(link) => { document.querySelector('a').href = link; }", link)
    tab.page.click("a")
    tab.wait_for("Charging stop")
    assert served.token not in tab.page.url
    tab.press("y")
    tab.wait_until(lambda: bool(served.events("navigation", "started")), "The interview")
    assert "T-4711" in (served.state / "navigation.log.jsonl").read_text()


def test_a_page_of_another_site_reads_nothing_and_presses_nothing(served: Served, tab: Tab, crm: str) -> None:
    tab.open(served.url)
    tab.wait_for("LED digit", "Yes")
    evil = Tab(tab.page.context)
    evil.page.goto(crm)
    socket = (
        "(url) => new Promise(done => { const s = new WebSocket(url);"
        " s.onopen = () => { s.send('[\"stdin\", \"y\"]'); done('open'); }; s.onerror = () => done('refused'); })"
    )
    assert evil.page.evaluate(socket, f"ws://127.0.0.1:{served.port}/ws?tab={'b' * 32}") == "refused"
    read = "(url) => fetch(url, {credentials: 'include'}).then(r => r.text(), () => 'refused')"
    assert evil.page.evaluate(read, f"{served.origin}/") == "refused"
    framed = (
        "(url) => new Promise(done => { const f = document.createElement('iframe'); f.src = url;"
        " f.onload = () => { let seen; try { seen = f.contentDocument && f.contentDocument.body.innerText; }"
        " catch { seen = null; } done(seen || 'nothing'); }; document.body.append(f); })"
    )
    assert evil.page.evaluate(framed, f"{served.origin}/") == "nothing"
    assert len(served.screens()) == 1
    assert answers(served) == 0


def test_nothing_is_asked_of_the_outside(served: Served, tab: Tab) -> None:
    outside: list[str] = []

    def check(route: Route) -> None:
        if route.request.url.startswith((served.origin, "data:")):
            route.continue_()
        else:
            outside.append(route.request.url)
            route.abort()

    tab.page.context.route("**/*", check)
    tab.open(served.url)
    tab.wait_for("LED digit", "Yes")
    tab.press("y")
    tab.wait_until(lambda: answers(served) == 1, "The answer")
    assert outside == []


def test_hostile_text_of_a_bank_stays_text(start: Callable[..., Served], tab: Tab, tmp_path: Path) -> None:
    hostile = "<img src=x onerror=alert(1)> <script>alert(2)</script> http://evil.example/x"
    bank = tmp_path / "hostile.toml"
    text = Path(BANK).read_text().replace('title = "', f'title = "{hostile} ', 1)
    bank.write_text(text)
    alerts: list[str] = []
    served = start("--bank", str(bank))
    tab.page.on("dialog", lambda dialog: alerts.append(dialog.message))
    tab.open(served.url)
    tab.wait_for("<img src=x")
    assert tab.page.locator("img").count() == 0
    assert tab.page.locator("script:not([src])").count() == 0
    pages = len(tab.page.context.pages)
    tab.click("http://evil[.]")
    tab.page.wait_for_timeout(300)
    assert len(tab.page.context.pages) == pages
    assert alerts == []


@pytest.mark.soak
def test_twenty_sessions_at_once(served: Served, context: BrowserContext) -> None:
    tabs = [Tab(context) for _ in range(20)]
    for number, each in enumerate(tabs):
        each.open(served.url if number == 0 else served.origin)
    for each in tabs:
        each.wait_for("LED digit", "Yes")
        each.press("y")
    tabs[0].wait_until(lambda: answers(served) == 20, "All answers")
    assert len({event["interview"] for event in served.events("led", "started")}) == 20


def test_the_title_of_the_page_is_that_of_the_screen(served: Served, tab: Tab) -> None:
    tab.open(f"{served.url}&bank=led&case=T-4711")
    tab.wait_until(lambda: tab.page.title() == "LED digit · T-4711 · odm-tui", "The title")


def test_a_whole_interview_by_touch_on_a_phone(served: Served, browser: Browser) -> None:
    phone = browser.new_context(viewport={"width": 412, "height": 839}, has_touch=True, is_mobile=True)
    tab = Tab(phone)
    tab.open(served.url)
    yes = tab.page.locator("#keys button", has_text=re.compile("^Yes$"))
    yes.wait_for()
    assert tab.screen.columns >= 60
    for button in tab.page.locator("#keys button").all():
        box = button.bounding_box()
        assert box is not None
        assert box["height"] >= 44

    def tap_yes() -> None:
        tab.page.wait_for_timeout(200)
        yes.tap()

    while not served.events("led", "decided"):
        wait_for_answer(tab, served, tap_yes)
    assert answers(served) >= 1
    phone.close()


def test_the_copied_summary_reaches_the_clipboard_of_the_browser(served: Served, tab: Tab) -> None:
    tab.page.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=served.origin)
    tab.open(served.url)
    tab.wait_for("LED digit", "Yes")
    answer_until_decided(tab, served)
    tab.wait_for("Confirm")
    tab.press("y", decide=True)
    read = "() => navigator.clipboard.readText()"
    tab.wait_until(lambda: "LED digit" in str(tab.page.evaluate(read)), "The summary in the clipboard")


def open_two_cases(served: Served, tab: Tab) -> None:
    """Answer the first question of one case, then of another, in the same tab."""
    for number, case in enumerate(("T-1", "T-2"), 1):
        tab.open(f"{served.url}&bank=led&case={case}")
        tab.wait_for(case, "question 1", "Yes")
        tab.press("y")
        tab.wait_for(case, "question 2")
        assert len(served.events("led", "started")) == number


def test_going_back_to_the_link_of_a_case_shows_its_screen_again(
    start: Callable[..., Served], tab: Tab
) -> None:
    served = start()
    open_two_cases(served, tab)
    for go, case in ((tab.page.go_back, "T-1"), (tab.page.go_forward, "T-2"), (tab.page.go_back, "T-1")):
        go()
        tab.wait_for(case, "question 2")
    assert len(served.events("led", "started")) == 2


def test_going_back_to_the_link_of_a_case_resumes_it_after_its_screen_has_ended(
    start: Callable[..., Served], tab: Tab
) -> None:
    served = start()
    open_two_cases(served, tab)
    tab.wait_until(lambda: len(served.screens()) == 1, "The end of the first screen")
    tab.page.go_back()
    tab.wait_for("T-1", "question 2")
    tab.press("y")
    tab.wait_for("T-1", "question 3")
    assert len(served.events("led", "started")) == 2


def test_the_keys_of_a_phone_need_no_scrolling(start: Callable[..., Served], browser: Browser) -> None:
    served = start()
    phone = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    tab = Tab(phone)
    tab.open(f"{served.url}&bank=troubleshooting")  # its first question has eight long answers
    buttons = tab.page.locator("#keys button")
    more = buttons.filter(has_text=re.compile("^More$"))
    more.wait_for()

    def check_that_all_are_in_reach() -> set[str]:
        for button in buttons.all():
            box = button.bounding_box()
            assert box is not None
            assert box["y"] + box["height"] <= 844
            assert box["height"] >= 48
            assert box["width"] >= 48
        return set(buttons.all_inner_texts())

    assert {"Skip", "Why", "⌨", "More"} <= check_that_all_are_in_reach()
    more.tap()
    buttons.filter(has_text="Leave").wait_for()
    assert {"Home", "Help", "Case", "Leave", "Less"} <= check_that_all_are_in_reach()
    buttons.filter(has_text="Less").tap()
    buttons.filter(has_text="Skip").wait_for()
    phone.close()
