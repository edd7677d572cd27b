"""An unexpected error in the action node is answered and told in diagnostics; then the process ends."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import rclpy
from diagnostic_msgs.msg import DiagnosticStatus
from node_rig import Rig, Surroundings
from rclpy.context import Context

from action_node.internal_errors import InternalErrors
from action_node.stop.stop_marker import StopMarker
from lucca_core.codes import ReasonCode
from lucca_core.paths import default_state_dir
from lucca_core.protocol.entries import EntryKind

pytestmark = pytest.mark.ros

SCRIPT = Path(__file__).parent / 'breaking_action_node.py'


class Ends:
    """Takes the place of what ends the process."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.told: list[tuple[str, str]] = []
        monkeypatch.setattr('action_node.node.tell_crash', self._tell)

    def _tell(self, error: BaseException, where: str) -> bool:
        self.told.append((str(error), where))
        return True


def _broken(*_: object, **__: object) -> None:
    raise RuntimeError('no joints')


def _wrong(*_: object, **__: object) -> None:
    raise ValueError('no joints')


@pytest.fixture
def ends(monkeypatch: pytest.MonkeyPatch) -> Ends:
    return Ends(monkeypatch)


@pytest.fixture
def context() -> Iterator[Context]:
    context = Context()
    rclpy.init(context=context)
    yield context
    context.try_shutdown()


def _action(rig: Rig) -> str:
    return rig.do('<move_to_box_1(pear)>').message


def _reset(rig: Rig) -> str:
    return rig.reset().message


def _stop(rig: Rig) -> str:
    return rig.node._stop('action/stop', wait_for_disk=True)[1]


@pytest.mark.parametrize(('part', 'call'), [('execute', _action), ('reset', _reset), ('stop', _stop)])
def test_what_broke_off_is_answered_then_told_and_then_the_process_ends(
    rig: Rig, ends: Ends, monkeypatch: pytest.MonkeyPatch, part: str, call: Callable[[Rig], str]
) -> None:
    rig.until(lambda: rig.status == DiagnosticStatus.OK)
    with monkeypatch.context() as patch:
        patch.setattr(rig.node._executor(), part, _broken)
        assert call(rig).startswith('internal error RuntimeError: no joints')
    rig.until(lambda: rig.status == DiagnosticStatus.ERROR)
    rig.until(lambda: bool(ends.told))
    assert ends.told[0][0] == 'no joints'
    assert rig.node._stop('action/stop', wait_for_disk=True)[0], 'until the process has ended, a stop is carried out'


def test_an_error_that_also_stands_for_a_malformed_goal_is_told_as_well(
    rig: Rig, ends: Ends, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(rig.node._executor(), 'execute', _wrong)
        assert _action(rig) == 'internal error ValueError: no joints'
    rig.until(lambda: bool(ends.told))


def test_a_node_that_is_cleaned_up_after_an_error_ends(rig: Rig, ends: Ends) -> None:
    rig.node._internal_errors.note(RuntimeError('no joints'), 'a stop')
    rig.node.trigger_deactivate()
    rig.node.trigger_cleanup()
    assert ends.told


def test_a_stop_that_breaks_off_as_a_whole_is_on_the_disk_before_the_process_ends(
    rig: Rig, ends: Ends, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rig.node._executor(), 'stop', _broken)
    assert not rig.node._stop('action/stop', wait_for_disk=True)[0]
    rig.until(lambda: bool(ends.told))
    assert StopMarker(default_state_dir()).is_set()


def test_a_process_ends_while_its_node_is_inactive(rig: Rig, ends: Ends) -> None:
    rig.node._internal_errors.note(RuntimeError('no joints'), 'a stop')
    rig.node.trigger_deactivate()
    rig.until(lambda: bool(ends.told))


def test_diagnostics_that_break_off_say_so_and_the_process_ends(
    rig: Rig, ends: Ends, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig.until(lambda: rig.status == DiagnosticStatus.OK)
    monkeypatch.setattr(rig.node._arms, 'joints', _broken)
    rig.until(lambda: rig.status == DiagnosticStatus.ERROR)
    rig.until(lambda: bool(ends.told))
    assert ends.told[0] == ('no joints', 'the diagnostics')


def test_diagnostics_that_cannot_say_that_they_broke_off_end_the_process_in_order_too(
    rig: Rig, ends: Ends, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig.until(lambda: rig.status == DiagnosticStatus.OK)
    monkeypatch.setattr(rig.node._status, '_publish', _broken)
    rig.node._status.publish()
    rig.until(lambda: bool(ends.told))
    assert ends.told[0] == ('no joints', 'the diagnostics')


def test_no_goal_is_taken_by_a_process_that_is_about_to_end(
    rig: Rig, ends: Ends, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(rig.node._executor(), 'execute', _broken)
        _action(rig)
    assert not rig.finished(rig.client.send_goal_async(rig.goal('<move_to_box_1(pear)>'))).accepted


def test_the_process_does_not_end_before_a_stop_is_on_the_disk(
    rig: Rig, ends: Ends, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, 'No space left on device')

    executor = rig.node._executor()
    with monkeypatch.context() as patch:
        patch.setattr(executor._keeper._marker, 'set', full)
        assert 'not on the disk yet' in rig.node._stop('action/stop', wait_for_disk=True)[1]
        rig.node._internal_errors.note(RuntimeError('no joints'), 'a stop')
        ticks = rig.world.ticks
        rig.until(lambda: rig.world.ticks > ticks + 50)  # 0.5 s: five periods of the diagnostics
        assert not ends.told
    rig.until(lambda: bool(ends.told))
    assert executor._keeper._marker.is_set()


def test_the_first_error_is_kept() -> None:
    errors = InternalErrors()
    assert errors.note(KeyError('joint'), 'a stop') == "internal error KeyError: 'joint'"
    errors.note(ValueError('later'), 'a reset')
    assert errors.first is not None
    assert (errors.first.where, str(errors.first)) == ('a stop', "internal error KeyError: 'joint'")


def test_a_process_whose_action_broke_off_records_it_answers_and_ends_with_1(context: Context) -> None:
    process = subprocess.Popen([sys.executable, str(SCRIPT)])
    around = Surroundings(context)
    try:
        around.start()
        around.until(lambda: around.said == 'ready')
        result = around.do('<move_to_box_1(pear)>')
        assert (result.code, result.message) == (ReasonCode.HARDWARE_FAULT, 'internal error RuntimeError: no joints')
        around.until(lambda: around.said.startswith('action has ended: action <move_to_box_1(pear)> crashed'))
        assert process.wait(60.0) == 1
    finally:
        process.kill()
        process.wait()
        around.close()
    assert [entry.kind for entry in around.world.entries] == [EntryKind.INTENT, EntryKind.OUTCOME]
