"""The page of a running stack in a real browser: every panel and every act, by keys and buttons, in two windows."""

import shutil
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip('playwright', reason='playwright is not installed')
pytest.importorskip('aiohttp')

from playwright.sync_api import Locator, expect, sync_playwright
from up_with_page import LONG_S, Up

from lucca_lab.dds_domains import own_domain

CHROMIUM = shutil.which('chromium') or ''
pytestmark = [
    pytest.mark.slow,
    pytest.mark.ros,
    pytest.mark.timeout(900),
    pytest.mark.skipif(not CHROMIUM, reason='chromium is not installed'),
]
PERSON = 'Ana'


class Window:
    """A window of the browser on the page."""

    def __init__(self, shown: Any) -> None:
        self.shown = shown
        expect(self('#state')).to_have_text('live')

    def __call__(self, selector: str) -> Locator:
        return self.shown.locator(selector)  # type: ignore[no-any-return]

    def say(self, text: str, person: str = PERSON) -> None:
        self('#text').fill(text)
        self('#person').fill(person)
        self('#say button').click()
        # The form is free again at once; what came of it is told in the header.
        expect(self('#state')).to_contain_text('say:')

    def press(self, act: str) -> None:
        """Presses the newest goal's button, or the only one with this name."""
        self.shown.get_by_role('button', name=act).first.click()

    def start(self, act: str) -> None:
        """Presses a button that gives a goal, agrees to what is asked first, and waits until it acts."""
        known = self('#timeline > li').count()
        self.press(act)
        expect(self('#timeline > li')).to_have_count(known + 1)
        newest = self('#timeline > li').first
        newest.locator('button:has-text("Yes")').click()
        # The answer is a goal of its own, which does the task.
        expect(self('#timeline > li')).to_have_count(known + 2)
        expect(self('#timeline > li').first).to_contain_text('acting')


@pytest.fixture(scope='module')
def windows(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Window, Window]]:
    """Two windows of one browser on one page."""
    expect.set_options(timeout=1e3 * LONG_S)
    with own_domain():
        up = Up(tmp_path_factory.mktemp('page'))
        try:
            address = up.until_said(r'http://127\.0\.0\.1:\d+/#token=\S+').group(0)
            with sync_playwright() as player:
                browser = player.chromium.launch(executable_path=CHROMIUM, args=['--no-sandbox'])
                shown = [browser.new_page() for _ in range(2)]
                for window in shown:
                    window.goto(address)
                yield Window(shown[0]), Window(shown[1])
                browser.close()
        finally:
            up.close()


def test_a_task_is_started_in_one_window_and_stopped_by_a_key_in_the_other(windows: tuple[Window, Window]) -> None:
    one, other = windows
    one.start('Start sorting')
    for panel in ('#objects', '#models', '#gate', '#log', '#actions', '#diagnostics'):
        expect(other(f'{panel} >> css=:scope > *').first).to_be_visible()
    expect(other('#camera')).to_be_visible()
    other.shown.keyboard.press('Escape')
    expect(other('#state')).to_have_text('stop: the arms hold until a reset')
    for window in windows:
        expect(window('#diagnostics')).to_contain_text('stopped')
    one.press('Reset after a stop')
    expect(one('#state')).to_have_text('reset: the arms are at home')
    for window in windows:
        expect(window('#diagnostics')).not_to_contain_text('stopped')


def test_a_task_is_suspended_and_resumed_and_cancelled_by_its_buttons(windows: tuple[Window, Window]) -> None:
    one, other = windows
    one.start('Resume sorting')
    other.press('Suspend sorting')
    expect(one('#tasks')).to_contain_text('sorting: suspended')
    one.start('Resume sorting')
    other.press('Cancel')
    for window in windows:
        expect(window('#timeline li').first).to_contain_text('cancelled')


def test_what_is_said_is_kept_pinned_corrected_and_forgotten(windows: tuple[Window, Window]) -> None:
    one, other = windows
    one.say('My boat is called Petrel.')
    line = '#memory > li:has(b:has-text("{}"))'
    expect(other(line.format('Petrel'))).to_have_count(1)
    one(f'{line.format("Petrel")} >> text=Unpin').click()
    other(f'{line.format("Petrel")} >> text="Pin"').click()
    expect(one(f'{line.format("Petrel")} >> text=Unpin')).to_be_visible()
    one(f'{line.format("Petrel")} >> text=Correct').click()
    one.say('No, my boat is called Albatross.')
    expect(other(line.format('Petrel'))).to_contain_text('outdated')
    other(f'{line.format("Albatross")} >> text=Forget').click()
    expect(one(line.format('Albatross'))).to_have_count(0)
    expect(one('#said li').first).to_contain_text('I have forgotten it.')
