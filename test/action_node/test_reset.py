"""A stop holds until a reset, which brings the arms home first."""

from pathlib import Path

from fakes import ARM_JOINT
from robots import Robot, make_robot

from action_node.config import ActionConfig
from action_node.stop.stop_marker import StopMarker
from lucca_core.codes import ReasonCode
from lucca_core.errors import MotionError


def test_no_arm_is_brought_home_on_an_old_frame() -> None:
    robot = make_robot(config=ActionConfig(frame_timeout_s=0.1))
    robot.table.positions[ARM_JOINT] = 0.5
    robot.freeze()
    robot.table.advance(robot.table.time_s + 10.0)
    robot.executor.stop()
    sent = len(robot.table.sent)
    done, message = robot.executor.reset()
    assert (done, 'old' in message) == (False, True)
    assert len(robot.table.sent) == sent + 1, 'the arm holds'
    assert robot.executor.stopped
    del robot.table.latest
    assert robot.executor.reset()[0]


def test_a_stop_outlives_the_process_and_only_a_reset_ends_it(tmp_path: Path) -> None:
    robot = make_robot(marker=StopMarker(tmp_path))
    robot.executor.stop()
    again = robot.restarted().restarted()
    sent = len(again.table.sent)
    assert again.do('<move_to_box_1(pear)>').code is ReasonCode.STOPPED
    assert len(again.table.sent) == sent
    assert again.executor.reset()[0]
    assert again.restarted().do('<move_to_box_1(pear)>').code is ReasonCode.DONE


def test_a_stop_that_cannot_be_written_holds_all_the_same(tmp_path: Path) -> None:
    (tmp_path / 'file').write_text('not a folder')
    robot = make_robot(marker=StopMarker(tmp_path / 'file'))
    report = robot.executor.stop()
    assert not report.whole
    assert 'FileExistsError' in str(report)
    assert robot.do('<move_to_box_1(pear)>').code is ReasonCode.STOPPED
    assert not robot.executor.reset()[0], 'the disk still says that it was stopped'
    assert robot.executor.stopped


def test_a_reset_lifts_no_stop_that_came_after_it_was_asked_for(robot: Robot) -> None:
    robot.executor.stop()
    stops = robot.executor.stops
    robot.executor.stop()
    sent = len(robot.table.sent)
    assert robot.executor.reset(stops)[0] is False
    assert robot.executor.stopped
    assert len(robot.table.sent) == sent
    assert robot.executor.reset()[0]


def test_a_stop_during_a_reset_wins(tmp_path: Path) -> None:
    robot = make_robot(marker=StopMarker(tmp_path))
    robot.table.positions[ARM_JOINT] = 0.5
    robot.executor.stop()
    robot.table.at.append((robot.table.time_s + 0.5, robot.executor.stop))
    assert robot.executor.reset()[0] is False
    assert robot.executor.stopped
    assert robot.marker.is_set()


def test_a_reset_that_fails_leaves_the_robot_stopped(tmp_path: Path) -> None:
    robot = make_robot(marker=StopMarker(tmp_path))
    robot.table.positions[ARM_JOINT] = 0.5
    robot.executor.stop()
    real = robot.planner.plan_clear

    def unreachable(*_: object) -> None:
        raise MotionError(ReasonCode.UNREACHABLE, 'something is in the way')

    def broken(*_: object) -> None:
        raise ZeroDivisionError('so it goes')

    robot.planner.plan_clear = unreachable
    done, message = robot.executor.reset()
    assert (done, 'in the way' in message) == (False, True)
    assert robot.executor.stopped
    robot.planner.plan_clear = broken
    assert robot.executor.reset() == (False, 'internal error ZeroDivisionError: so it goes')
    assert robot.executor.stopped
    assert robot.restarted().do('<move_to_box_1(pear)>').code is ReasonCode.STOPPED
    robot.planner.plan_clear = real
    assert robot.executor.reset()[0]
    assert not robot.marker.is_set()


def test_reset_is_not_taken_while_an_action_runs() -> None:
    robot = make_robot(config=ActionConfig(intent_timeout_s=0.01))
    answers: list[tuple[bool, str]] = []
    robot.table.at.append((100.5, lambda: answers.append(robot.executor.reset())))
    assert robot.do('<move_to_box_1(pear)>').code is ReasonCode.DONE
    assert answers[0][0] is False
