"""A stack with a page: every act on it, and what the stack does when the page's process dies."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip('aiohttp')
pytest.importorskip('mcap')

import httpx
from up_with_page import LONG_S, MAIN, TOKEN, Up
from websockets.sync.client import connect

from lucca_cli.client import StackClient
from lucca_core.protocol.goals import AS_UNDERSTOOD, GoalRequest, Status
from lucca_lab.dds_domains import own_domain
from lucca_view.recording.reader import read_session
from lucca_view.session import SessionView

pytestmark = [pytest.mark.ros, pytest.mark.timeout(900)]

PERSON = 'Ana'


def connected(port: int, name: str) -> Any:
    """A socket of the page, to be entered."""
    address, origin = f'ws://127.0.0.1:{port}/{name}', f'http://127.0.0.1:{port}'
    return connect(address, subprotocols=['lucca', f'token.{TOKEN}'], max_size=None, origin=origin)


class Page:
    """What a browser is to the page: its panels as they come, and acts."""

    def __init__(self, port: int, socket: Any) -> None:
        self._port = port
        self._socket = socket
        self._panels: dict[str, Any] = {}

    def act(self, act: str, **values: str) -> str:
        """Does an act as its button does, and returns what is told."""
        answer = httpx.post(
            f'http://127.0.0.1:{self._port}/acts/{act}',
            json=values,
            headers={'Origin': f'http://127.0.0.1:{self._port}', 'Authorization': f'Bearer {TOKEN}'},
            timeout=60.0,
        )
        said = str(answer.json()['said'])
        assert answer.status_code == 200, said
        return said

    def stop(self) -> dict[str, Any]:
        """Stops as the Escape key does."""
        with connected(self._port, 'stops') as stops:
            stops.send('stop')
            return dict(json.loads(stops.recv(timeout=30)))

    def until(self, name: str, wanted: Callable[[Any], Any]) -> Any:
        """What `wanted` finds in a panel, as soon as it finds anything."""
        end_s = time.monotonic() + LONG_S
        while not (found := name in self._panels and wanted(self._panels[name])):
            assert time.monotonic() < end_s, f'{name} shows {json.dumps(self._panels.get(name))[-3000:]}'
            try:
                panels = json.loads(self._socket.recv(timeout=1.0)).get('panels', {})
            except TimeoutError:
                continue
            for panel, value in panels.items():
                # Of a list that grows come the new rows alone.
                grows = panel.endswith('+')
                self._panels[panel.removesuffix('+')] = [*self._panels[panel[:-1]], *value] if grows else value
        return found

    def goal(self, wish: str, wanted: Callable[[dict[str, Any]], Any], *, beyond: int = 0) -> dict[str, Any]:
        """The newest goal of this wish, once there are more than `beyond` and it is as wanted."""

        def find(goals: list[dict[str, Any]]) -> dict[str, Any] | None:
            same = [goal for goal in goals if goal['wish'] == wish]
            return same[-1] if len(same) > beyond and wanted(same[-1]) else None

        return self.until('timeline', find)  # type: ignore[no-any-return]

    def started(self, act: str, **values: str) -> dict[str, Any]:
        """Gives a goal, agrees to what is asked before anything moves, and waits until it acts."""
        wish, before = values.get('task') or values['text'], len(self._goals())
        self.act(act, **values)
        goal = self.goal(wish, lambda goal: goal['agree'], beyond=self._count(wish, before))
        assert not [step for step in goal['steps'] if step['phase'] == 'acting']
        self.act(goal['agree']['act'], **goal['agree']['values'])
        return self.goal(goal['task'], acts, beyond=self._count(goal['task'], len(self._goals())))

    def _goals(self) -> list[dict[str, Any]]:
        return list(self._panels.get('timeline', []))

    def _count(self, wish: str, among: int) -> int:
        return sum(goal['wish'] == wish for goal in self._goals()[:among])


@pytest.fixture(scope='module')
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    with own_domain():
        up = Up(tmp_path_factory.mktemp('page'))
        try:
            yield up
        finally:
            up.close()


@pytest.fixture(scope='module')
def page(up: Up) -> Iterator[Page]:
    port = int(up.until_said(r'http://127\.0\.0\.1:(\d+)/#token=').group(1))
    with connected(port, 'socket') as socket:
        yield Page(port, socket)


def acts(goal: dict[str, Any]) -> bool:
    """An action of the goal goes on."""
    return not goal['ended_s'] and bool(goal['steps']) and goal['steps'][-1]['phase'] == 'acting'


def ended(goal: dict[str, Any]) -> bool:
    """The goal has ended."""
    return bool(goal['ended_s'])


@pytest.mark.slow
def test_a_task_is_started_suspended_resumed_and_cancelled(page: Page) -> None:
    given = page.started('run', task='sorting', person='')
    page.until('tasks', lambda tasks: [one for one in tasks if (one['task'], one['status']) == ('sorting', 'running')])
    # As the button does.
    page.act('say', text='stop the sorting', person='')
    page.goal('sorting', lambda goal: goal['id'] == given['id'] and ended(goal))
    page.until(
        'tasks', lambda tasks: [one for one in tasks if (one['task'], one['status']) == ('sorting', 'suspended')]
    )
    resumed = page.started('run', task='sorting', person='')
    assert page.act('cancel', goal=resumed['id']) == 'it is being cancelled'
    assert page.goal('sorting', lambda goal: goal['id'] == resumed['id'] and ended(goal))['status'] == 'cancelled'


@pytest.mark.slow
def test_a_stop_holds_until_it_is_reset(page: Page) -> None:
    given = page.started('run', task='sorting', person='')
    answer = page.stop()
    assert (answer['said'], answer['done']) == ('the arms hold until a reset', True)
    after = page.goal('sorting', lambda goal: goal['id'] == given['id'] and ended(goal))
    assert 'stop' in f'{after["status"]} {after["reason"]}'
    page.until('diagnostics', lambda parts: [one for one in parts if 'stopped' in one['message']])
    assert page.act('reset') == 'the arms are at home'
    page.until('diagnostics', lambda parts: not [one for one in parts if 'stopped' in one['message']])


@pytest.mark.slow
def test_a_recording_begun_in_the_middle_of_an_action_holds_what_is_needed_to_draw_the_scene(
    up: Up, page: Page, tmp_path: Path
) -> None:
    given = page.started('run', task='sorting', person='')
    file = tmp_path / 'session.mcap'
    command = [sys.executable, '-c', MAIN, 'record', str(file), '--duration-s', '5', '--data-dir', str(tmp_path)]
    subprocess.run(command, check=True, capture_output=True, timeout=60.0)
    page.act('cancel', goal=given['id'])
    seen = SessionView().after_all(read_session(file).events)
    assert seen.info is not None
    assert seen.scene is not None
    assert seen.scene.value.objects
    assert seen.joints
    assert [task for task in seen.tasks if task.task == 'sorting']
    assert set(seen.diagnostics) >= {f'lucca: {part}' for part in ('action', 'coordinator', 'perception', 'worker')}


@pytest.mark.slow
def test_what_was_said_and_confirmed_passes_the_gate(page: Page) -> None:
    task = page.started('say', text='put the banana into box 2', person='')['task']
    page.until('gate', lambda decisions: [one for one in decisions if one['task'] == task and one['permitted']])
    assert page.goal(task, ended)['status'] == 'finished'


@pytest.mark.slow
def test_a_memory_is_seen_pinned_corrected_and_forgotten(page: Page) -> None:
    def nodes(text: str) -> Callable[[dict[str, Any]], list[dict[str, Any]]]:
        return lambda found: [one for one in found['nodes'] if text in one['text']]

    page.act('say', text='My boat is called Petrel.', person=PERSON)
    (node, *_) = page.until('memory', nodes('Petrel'))
    for act, pinned in (('unpin', False), ('pin', True)):
        assert page.act(act, node=node['node']) == '1 nodes changed'
        page.until(
            'memory',
            lambda found, pinned=pinned: [one for one in nodes('Petrel')(found) if one['pinned'] is pinned],
        )
    page.act('say', text='No, my boat is called Albatross.', person=PERSON)
    page.until('memory', nodes('Albatross'))
    page.until('memory', lambda found: [one for one in nodes('Petrel')(found) if 'outdated' in one['why']])
    page.act('say', text='Forget that my boat is called Albatross.', person=PERSON)
    page.until('memory', lambda found: not nodes('Albatross')(found))


def test_the_stack_runs_on_when_the_process_of_the_page_dies(up: Up, page: Page) -> None:
    steps: list[Any] = []
    with StackClient() as client:
        # It would do the next one, too; this is about the page.
        request = GoalRequest(task='sorting', confirmed=AS_UNDERSTOOD, max_actions=1)
        goal = client.send_goal(request, steps.append)
        os.kill(up.page_process(), signal.SIGKILL)
        up.until_said(r'the page ended')
        assert goal.wait(LONG_S).status is Status.SUSPENDED
        assert [task for task in client.tasks() if task.task == 'sorting' and task.actions_done]
    assert [step.code for step in steps if step.phase == 'acted'] == ['done']
    assert up.process.poll() is None
