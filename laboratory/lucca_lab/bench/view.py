"""Benchmark of the page: time from events to the screen, of stops by key, and the added overhead of the stack."""

import json
import math
import os
import random
import select
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from lucca_cli.commands.view import page_command
from lucca_cli.requirements import require_packages
from lucca_cli.running_goal import RunningGoal
from lucca_cli.stack import Stack, StackOptions
from lucca_core.errors import ConfigError, StackError
from lucca_core.parent_process import PARENT
from lucca_core.protocol.goals import GoalRequest, Phase
from lucca_lab.quick_table import quick_parameters

SPEED = 4.0
"""Simulated seconds per second, so that a run ends within the hour."""
_CAMERA_HZ = 10.0 / SPEED
"""Pictures per simulated second: ten per second of wall time, which is what a robot's perception has to do.

The simulator must leave the stack enough time, as it does not run on a robot.
"""
_PARAMETERS = {
    # The joint states, too, come as often per second of wall time as a robot's.
    'simulator': {'camera_rate_hz': _CAMERA_HZ, 'joint_state_rate_hz': 50.0 / SPEED, 'leash_s': 2.0 / _CAMERA_HZ},
    # The shorter the motions, the more actions are measured.
    'action': {'tool_speed_mps': 1.0, 'arm_speed_radps': 3.2, 'hand_speed_radps': 3.2},
}
_FORGET_THE_LAST_ANSWER = """(state => {
    state.textContent = "";
    state.classList.remove("lost");
    delete state.dataset.ms;
    delete state.dataset.serverMs;
})(document.querySelector("#state"))"""
OPEN_S = 60.0
GOAL_S = 600.0
_TURN_ACTIONS = 30
"""Actions with the page, or without it, before the other one's turn.

The goal before them is not counted: when a page comes or goes, each node has to meet or part from its subscriptions.
"""

Show = Callable[[str], None]


@dataclass(frozen=True, kw_only=True)
class ViewFigures:
    """The measured figures; times are in ms.

    Attributes:
        event_to_screen_ms_p95: from a node's message to its drawing in Chromium, 95th percentile.
        stop_ms_max: from the Escape key to the answer of `action/stop` on the page; the slowest stop.
        overhead_ratio_p50: the stack's overhead per action with the page open (3D closed), divided by that without the
            page: the ratio of the medians of each pair, and its median over the pairs.
        overhead_added_ms_p50: the same as a difference.
        events: number of updates that were timed.
        stop_ms: time of every stop.
        stop_server_ms: the server's part of it.
        pairs_ms: medians of each pair, with and without the page.
    """

    event_to_screen_ms_p95: float
    stop_ms_max: float
    overhead_ratio_p50: float
    overhead_added_ms_p50: float
    events: int
    stop_ms: Sequence[float]
    stop_server_ms: Sequence[float] = ()
    pairs_ms: Sequence[tuple[float, float]] = field(default=())

    def as_json(self) -> dict[str, Any]:
        """All figures, in types that JSON can hold."""
        return asdict(self)


def measure_view(out: Path, *, pairs: int, actions: int, stops: int, seed: int, show: Show) -> ViewFigures:
    """Starts two stacks on the kinematic table, and measures them with the page in headless Chromium and without it.

    A run that was ended continues where it stopped: what is measured is kept in `parts.jsonl` until all of it is there.

    Args:
        out: folder for memory, logs and what is measured.
        pairs: number of pairs of actions with and without the page.
        actions: number of actions in each half of a pair.
        stops: number of presses of the Escape key; each comes during an action and is reset again.
        seed: seed of the moments of the stops.
        show: called with a line after each part.

    Raises:
        StackError: Chromium is missing, the stack or its page did not start, a stop failed, or a goal was aborted.
        ConfigError: a package is missing.
    """
    require_packages('the page in a browser', 'playwright', 'aiohttp', 'mcap', 'zstandard')
    out.mkdir(parents=True, exist_ok=True)
    kept = KeptParts(out / 'parts.jsonl', {'actions': actions, 'stops': stops, 'seed': seed})
    if kept.parts('demo'):
        show(f'{out / "parts.jsonl"} has {len(kept.parts("pair"))} pairs of an earlier run, which count')
    with _browser() as browser:
        if not kept.parts('demo'):
            with _stack(out / 'demo', 'sorting_tower') as stack:
                kept.keep('demo', _demo(stack, browser, show))
        if not kept.parts('stops') or len(kept.parts('pair')) < pairs:
            with _stack(out / 'overhead', 'pointing') as stack:
                if not kept.parts('stops'):
                    kept.keep('stops', _stops(stack, browser, stops, random.Random(seed), show))
                for number in range(len(kept.parts('pair')), pairs):
                    kept.keep('pair', _pair(stack, browser, actions, number, show))
    (events, late_ms), pressed, found = kept.parts('demo')[0], kept.parts('stops')[0], kept.parts('pair')[:pairs]
    # The next run measures everything again: the code may have changed by then.
    (out / 'parts.jsonl').replace(out / 'parts-of-the-last-run.jsonl')
    return ViewFigures(
        event_to_screen_ms_p95=late_ms,
        stop_ms_max=max(ms for ms, _ in pressed),
        overhead_ratio_p50=round(median(shown / alone for shown, alone in found), 4),
        overhead_added_ms_p50=round(median(shown - alone for shown, alone in found), 3),
        events=events,
        stop_ms=[ms for ms, _ in pressed],
        stop_server_ms=[ms for _, ms in pressed],
        pairs_ms=[(round(shown, 3), round(alone, 3)) for shown, alone in found],
    )


class KeptParts:
    """What is measured, in a file with a line for each part; those of an earlier run with the same settings count.

    Raises:
        ConfigError: the file is from a run with other settings.
    """

    def __init__(self, file: Path, settings: dict[str, int]) -> None:
        self._file = file
        self._parts: list[tuple[str, Any]] = []
        if not file.exists():
            self.keep('settings', settings)
            return
        whole = ''.join(file.read_text(encoding='utf-8').rpartition('\n')[:2])
        # A line that was cut off by the end of the run would hide the next one.
        file.write_text(whole, encoding='utf-8')
        self._parts = [tuple(json.loads(line)) for line in whole.splitlines()]
        if not self._parts:
            self.keep('settings', settings)
        if self.parts('settings') != [settings]:
            raise ConfigError(f'it holds a run with {self.parts("settings")}, not {settings}', file=str(file))

    def parts(self, name: str) -> list[Any]:
        return [value for kind, value in self._parts if kind == name]

    def keep(self, name: str, value: Any) -> None:
        self._parts.append((name, value))
        with self._file.open('a', encoding='utf-8') as file:
            file.write(json.dumps([name, value]) + '\n')


@contextmanager
def _browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    path = shutil.which('chromium')
    if path is None:
        raise StackError('chromium is not installed; Debian has it: apt-get install chromium')
    with sync_playwright() as player, tempfile.TemporaryDirectory() as folder:
        browser = player.chromium.launch(executable_path=_as_a_user(path, Path(folder)), args=['--no-sandbox'])
        try:
            yield browser
        finally:
            browser.close()


def _as_a_user(browser: str, folder: Path) -> str:
    """A command that starts the browser without the right to raise its priority.

    As root, Chromium raises the priority of its threads above that of the robot's nodes. Nobody's browser does that.
    """
    setpriv = shutil.which('setpriv')
    if os.geteuid() != 0 or setpriv is None:
        return browser
    command = folder / 'chromium'
    command.write_text(
        f'#!/bin/sh\nexec {setpriv} --bounding-set=-sys_nice --inh-caps=-sys_nice {browser} "$@"\n', encoding='utf-8'
    )
    command.chmod(0o755)
    return str(command)


@contextmanager
def _stack(folder: Path, scene: str) -> Iterator[Stack]:
    # Of a run that was ended: it may have been stopped, or in the middle of a task.
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    options = StackOptions(
        scene=scene,
        engine='kinematic',
        speed=SPEED,
        data_dir=folder / 'memory',
        state_dir=folder / 'state',
        params_file=quick_parameters(folder / 'params.yaml', _PARAMETERS),
    )
    with Stack(options, folder) as stack:
        yield stack


def _data_dir(stack: Stack) -> Path:
    assert stack.options.data_dir is not None
    return stack.options.data_dir


@contextmanager
def opened_page(browser: Any, data_dir: Path, *, drawn: bool) -> Iterator[Any]:
    """A browser page of the running stack, served by a separate process. `drawn`: whether the 3D drawing is open."""
    page = subprocess.Popen(
        page_command(0, data_dir, 'nicol'),
        env={**os.environ, PARENT: str(os.getpid())},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert page.stdout is not None
        if not select.select([page.stdout], [], [], OPEN_S)[0]:
            raise StackError(f'the page did not start within {OPEN_S:g} s')
        address = page.stdout.readline().strip()
        if not address.startswith('http://'):
            raise StackError(f'the page did not start: {address[:200]!r}')
        window = browser.new_page()
        window.goto(address)
        window.locator('#state:text-is("live")').wait_for(timeout=1e3 * OPEN_S)
        if not drawn:
            window.evaluate('document.querySelector("#scene3d").open = false')
        yield window
        window.close()
    finally:
        page.terminate()
        page.communicate()


def _demo(stack: Stack, browser: Any, show: Show) -> tuple[int, float]:
    """Sorts, interrupted by the tower, with the page open. Returns the number of timed events, and their p95 (ms)."""
    with opened_page(browser, _data_dir(stack), drawn=True) as window:
        acting, goal = _given(stack, GoalRequest(task='sorting'))
        acting.wait_for()
        _, tower = _given(stack, GoalRequest(task='tower', priority=10))
        for running in (tower, goal):
            running.wait(GOAL_S, stack.alive)
        told = window.evaluate('({...document.querySelector("#delay").dataset})')
    show(f'from an event to the screen: {told["ms"]} ms for 95 % of {told.get("count")}')
    return int(told.get('count', 0)), float(told['ms'])


def _stops(stack: Stack, browser: Any, count: int, chance: random.Random, show: Show) -> list[tuple[float, float]]:
    """Stops in the middle of actions. Returns the total time of each stop and the server's part of it (ms)."""
    pressed = []
    with opened_page(browser, _data_dir(stack), drawn=True) as window:
        for number in range(count):
            pressed.append(_stopped(stack, window, chance))
            show(f'stop {number + 1} of {count}: {pressed[-1][0]:.0f} ms, of which the server {pressed[-1][1]:.0f} ms')
    return pressed


class _Acting:
    """Waits for the first action of a goal."""

    def __init__(self) -> None:
        self._seen = threading.Event()

    def __call__(self, step: Any) -> None:
        if step.phase is Phase.ACTING:
            self._seen.set()

    def wait_for(self) -> None:
        if not self._seen.wait(OPEN_S):
            raise StackError(f'no action began within {OPEN_S:g} s')


def _given(stack: Stack, request: GoalRequest) -> tuple[_Acting, RunningGoal]:
    acting = _Acting()
    return acting, stack.client.send_goal(request, acting)


def _stopped(stack: Stack, window: Any, chance: random.Random) -> tuple[float, float]:
    acting, goal = _given(stack, GoalRequest(task='pointing', restart=True))
    acting.wait_for()
    stack.client.wait(chance.uniform(0.0, 1.0))
    window.evaluate(_FORGET_THE_LAST_ANSWER)
    window.keyboard.press('Escape')
    window.locator('#state', has_text='stop: ').wait_for(timeout=1e3 * OPEN_S)
    said = window.locator('#state').text_content()
    data = window.evaluate('({...document.querySelector("#state").dataset})')
    failed = window.evaluate('document.querySelector("#state").classList.contains("lost")')
    goal.wait(GOAL_S, stack.alive)
    if failed or 'serverMs' not in data:
        raise StackError(f'a stop failed: {said}')
    stack.client.reset()
    return float(data['ms']), float(data['serverMs'])


def _pair(stack: Stack, browser: Any, actions: int, number: int, show: Show) -> tuple[float, float]:
    """Median overhead per action (ms) with the page and without.

    Turns with and without the page alternate within the pair: a machine drifts over minutes by more than the page
    costs. Which comes first is mirrored from turn to turn, and from pair to pair.
    """
    overhead_ms: dict[bool, list[float]] = {True: [], False: []}
    for turn in range(math.ceil(actions / _TURN_ACTIONS)):
        count = min(_TURN_ACTIONS, actions - turn * _TURN_ACTIONS)
        for shown in (True, False) if (number + turn) % 2 == 0 else (False, True):
            with opened_page(browser, _data_dir(stack), drawn=False) if shown else nullcontext():
                _overhead_ms(stack, 1)
                overhead_ms[shown] += _overhead_ms(stack, count)
    with_page_ms, alone_ms = (float(np.median(overhead_ms[shown])) for shown in (True, False))
    show(f'pair {number + 1}: {with_page_ms:.2f} ms per action with the page, {alone_ms:.2f} ms without')
    return with_page_ms, alone_ms


def _overhead_ms(stack: Stack, actions: int) -> list[float]:
    found: list[float] = []
    while len(found) < actions:
        report = stack.client.send_goal(GoalRequest(task='pointing', restart=True)).wait(GOAL_S, stack.alive)
        if not report.overhead_s:
            raise StackError(f'pointing did nothing: {report.status} {report.reason}')
        found += [1e3 * value for value in report.overhead_s]
    return found[:actions]
