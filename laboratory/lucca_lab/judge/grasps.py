"""Laws of grasping: a hand holds what it has between its fingers, carries it rigidly, and releases it on opening."""

import math

import mujoco
import numpy as np

from lucca_lab.judge.evidence import TOUCH_M, Evidence, runs_of
from lucca_lab.judge.faults import Fault
from lucca_lab.judge.traces import Floats

PINCH_RAD = math.radians(100.0)
"""The least angle between normals at two finger links when a weld begins. The simulator requires 120 degrees; the judge
sees the state up to 20 ms later."""

HELD_RAD = math.radians(75.0)
LOST_ROWS = 10
"""Samples of 20 ms after which a weld must have ended if the angle is below `HELD_RAD`. The simulator ends it after
0.1 s below 90 degrees."""

PINCH_ROWS = 2
"""Samples before and after the first one with the weld among which a pinch must be seen."""

OPENED = 0.01
RELEASE_ROWS = 4
"""Samples for which a weld may outlast the closing of the hand."""

MAX_SLIP_M = 0.025
MAX_TURN_RAD = 0.3


def welds_need_a_pinch(evidence: Evidence) -> list[Fault]:
    """Checks that a weld begins and lasts only while two finger links touch the object from opposite sides."""
    trace, arms = evidence.trace, [*evidence.profile.arms, '']
    faults = [
        _fault('weld', evidence, column, int(np.argmax(strange)), 'is held by a hand that this robot does not have')
        for column, strange in enumerate(~np.isin(trace.held_by, arms).T)
        if strange.any()
    ]
    for column, side, first, last in _holds(evidence):
        angles = _pinch_rad(evidence, column, side, max(0, first - PINCH_ROWS), last)
        widest = angles[: 2 * PINCH_ROWS + 1].max()
        lost = runs_of(angles[min(first, PINCH_ROWS) :] < HELD_RAD, LOST_ROWS)
        if widest < PINCH_RAD:
            text = f'is welded to the {side} hand, {_how(widest)}'
            faults.append(_fault('weld', evidence, column, first, text))
        elif lost:
            text = f'stays welded to the {side} hand, whose fingers no longer have it between them'
            faults.append(_fault('weld', evidence, column, first + lost[0][0], text))
    return faults


def holds_have_recorded_contacts(evidence: Evidence) -> list[Fault]:
    """Checks that contacts with two finger links are recorded while a hand holds an object."""
    track, trace, faults = evidence.trace.contacts, evidence.trace, []
    assert track is not None, 'only traces with contacts are asked'
    for column, side, first, last in _holds(evidence):
        names = {trace.object_names[column]}, set(evidence.profile.finger_links(side))
        mine, finger = (np.array([body in some for body in track.body_names], dtype=bool) for some in names)
        one, other = track.bodies.T
        touching = (mine[one] & finger[other]) | (mine[other] & finger[one])
        touching &= (track.rows >= first) & (track.rows < last)
        links = np.bincount(track.rows[touching] - first, minlength=last - first)
        lost = runs_of(links < 2, LOST_ROWS)
        if lost:
            text = f'is held by the {side} hand, and no contact with two of its fingers is recorded'
            faults.append(_fault('contacts', evidence, column, first + lost[0][0], text))
    return faults


def welds_end_when_the_hand_opens(evidence: Evidence) -> list[Fault]:
    """Checks that no weld begins in an open hand, or lasts after the hand is opened again."""
    trace = evidence.trace
    faults = []
    for column, side, first, last in _holds(evidence):
        asked = trace.hand_asked[first:last, trace.hand_names.index(side)]
        least = max(evidence.profile.arms[side].hand.closed_above, float(asked[0]) - OPENED)
        runs = runs_of(asked <= least, RELEASE_ROWS)
        if runs:
            text = f'stays welded to the {side} hand, which is open'
            faults.append(_fault('release', evidence, column, first + runs[0][0], text))
    return faults


def what_is_held_goes_with_the_hand(evidence: Evidence) -> list[Fault]:
    """Checks that an object keeps its pose in the hand that holds it; otherwise it would be in two places."""
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


def _pinch_rad(evidence: Evidence, column: int, side: str, first: int, last: int) -> Floats:
    """Widest angle between normals at two finger links (last - first,), by sample; -1 if fewer than two links touch."""
    touches, world = evidence.touches, evidence.world
    mine = (touches.columns == column) & (touches.rows >= first) & (touches.rows < last) & (touches.gaps_m <= TOUCH_M)
    mine &= world.finger_of[touches.others] == side
    angles = np.full(last - first, -1.0)
    for row in np.unique(touches.rows[mine]):
        normals = touches.normals[mine & (touches.rows == row)]
        if len(normals) > 1:
            angles[row - first] = np.arccos(np.clip((normals @ normals.T).min(), -1.0, 1.0))
    return angles


def _how(widest_rad: float) -> str:
    if widest_rad < 0:
        return 'which does not touch it with two finger links'
    return f'whose fingers touch it with normals {math.degrees(widest_rad):.0f} degrees apart'


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
