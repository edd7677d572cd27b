"""Laws of grasping: a hand holds what its closed fingers touch, carries it rigidly, and releases it on opening."""

import mujoco
import numpy as np

from lucca_lab.judge.evidence import TOUCH_M, Evidence, runs_of
from lucca_lab.judge.faults import Fault
from lucca_lab.judge.traces import Floats

LEAST_LINKS = 2
TOUCH_ROWS = 30
"""Samples after a weld, 20 ms each, within which the closing fingers have to touch with two links."""

FIRST_TOUCH_ROWS = 3
RELEASE_ROWS = 4
"""Samples for which a weld may outlast what it needs."""

MAX_SLIP_M = 0.025
MAX_TURN_RAD = 0.3


def welds_begin_with_touch(evidence: Evidence) -> list[Fault]:
    """A weld begins while the hand closes and touches the object, and its fingers touch with two links soon after."""
    faults = []
    for column, side, first, last in _holds(evidence):
        links = _links_touching(evidence, column, side, max(0, first - FIRST_TOUCH_ROWS), first + FIRST_TOUCH_ROWS)
        soon = _links_touching(evidence, column, side, first, min(last, first + TOUCH_ROWS))
        if not links:
            faults.append(
                _fault('weld', evidence, column, first, f'is welded to the {side} hand, which does not touch it')
            )
        elif len(soon) < LEAST_LINKS:
            text = f'is welded to the {side} hand by the touch of one link'
            faults.append(_fault('weld', evidence, column, first, text))
    return faults


def welds_end_when_the_hand_opens(evidence: Evidence) -> list[Fault]:
    """No weld outlasts the hand's opening, and none begins with an open hand."""
    trace = evidence.trace
    faults = []
    for column, side, first, last in _holds(evidence):
        hand = trace.hand_names.index(side)
        least = evidence.profile.arms[side].hand.closed_above
        opened = trace.hand_asked[first:last, hand] <= least
        runs = runs_of(opened, RELEASE_ROWS)
        if runs:
            text = f'stays welded to the {side} hand, which is open'
            faults.append(_fault('release', evidence, column, first + runs[0][0], text))
    return faults


def what_is_held_goes_with_the_hand(evidence: Evidence) -> list[Fault]:
    """What a hand holds stays where it is in the hand: otherwise it is in two places."""
    faults = []
    for column, side, first, last in _holds(evidence):
        places, turns = _in_palm(evidence, column, side, first, last)
        slip = np.linalg.norm(places - places[0], axis=1)
        turned = 2 * np.arccos(np.clip(np.abs(turns @ turns[0]), 0.0, 1.0))
        wrong = (slip > MAX_SLIP_M) | (turned > MAX_TURN_RAD)
        if wrong.any():
            text = f'is held by the {side} hand and moves {slip.max() * 100:.1f} cm in it'
            faults.append(_fault('two places', evidence, column, first + int(np.argmax(wrong)), text))
    return faults


def _holds(evidence: Evidence) -> list[tuple[int, str, int, int]]:
    """Column, hand and half-open range of samples of each weld."""
    trace = evidence.trace
    return [
        (column, side, first, last)
        for column in range(len(trace.object_names))
        for side in evidence.profile.arms
        for first, last in runs_of(trace.held_by[:, column] == side)
    ]


def _links_touching(evidence: Evidence, column: int, side: str, first: int, last: int) -> set[int]:
    touches = evidence.touches
    mine = (touches.columns == column) & (touches.rows >= first) & (touches.rows < last) & (touches.gaps_m <= TOUCH_M)
    return {int(body) for body in touches.others[mine] if evidence.world.hand_of[body] == side}


def _in_palm(evidence: Evidence, column: int, side: str, first: int, last: int) -> tuple[Floats, Floats]:
    trace, world = evidence.trace, evidence.world
    palm = world.palm_of[side]
    places, turns = np.zeros((last - first, 3)), np.zeros((last - first, 4))
    inverse = np.zeros(4)
    for index, row in enumerate(range(first, last)):
        world.put(trace.object_positions_m[row], trace.object_orientations_wxyz[row], trace.joint_positions_rad[row])
        mujoco.mju_negQuat(inverse, world.data.xquat[palm])
        mujoco.mju_rotVecQuat(places[index], trace.object_positions_m[row, column] - world.data.xpos[palm], inverse)
        mujoco.mju_mulQuat(turns[index], inverse, trace.object_orientations_wxyz[row, column])
    return places, turns


def _fault(law: str, evidence: Evidence, column: int, row: int, text: str) -> Fault:
    trace = evidence.trace
    return Fault(law=law, object=trace.object_names[column], time_s=float(trace.time_s[row]), text=text)
