"""A comparison of the running controllers with the robot profile: joints, their order, limits, and rate."""

import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence

LEAST_RATE_HZ = 50.0
"""At a lower rate, a controller moves in visible steps instead of following a trajectory."""
_SLACK = 1e-3
"""Tolerance for limits, in rad or m, because they are often rounded to three digits."""

Limits = Mapping[str, tuple[float, float]]


def mismatches(
    expected: Mapping[str, Sequence[str]],
    running: Mapping[str, Sequence[str]],
    limits: Limits,
    described: Limits,
    rate_hz: float | None,
) -> list[str]:
    """The differences, one sentence each, with the joint or controller named; empty if there are none.

    Args:
        expected: joints of each controller, in the order of the profile.
        running: joints of each running controller, in its own order.
        limits: lower and upper limit of each joint in the profile, in rad or m.
        described: the same in the description published by the drivers; joints missing from it are not compared.
        rate_hz: rate of the controllers; None if it is not known.
    """
    found = []
    for name, joints in expected.items():
        found += _joints_differ(name, tuple(joints), tuple(running.get(name, ())))
    for joint in (joint for joints in expected.values() for joint in joints):
        if joint not in described:
            continue
        (lower, upper), (least, most) = limits[joint], described[joint]
        # Written this way so that a limit that is NaN is a mismatch.
        if not (lower >= least - _SLACK and upper <= most + _SLACK):
            found.append(
                f'joint {joint!r} may move from {least:g} to {most:g} on the robot, '
                f'and from {lower:g} to {upper:g} in the profile'
            )
    if rate_hz is not None and rate_hz < LEAST_RATE_HZ:
        found.append(f'the controllers run at {rate_hz:g} Hz; at least {LEAST_RATE_HZ:g} Hz are needed')
    return found


def described_limits(urdf: str) -> dict[str, tuple[float, float]]:
    """Limits by joint in the text of a URDF; joints without limits are left out.

    Raises:
        ValueError: the text is not XML, or a limit is not a number.
    """
    try:
        root = ET.fromstring(urdf)  # noqa: S314 - published by the robot's own drivers
    except ET.ParseError as error:
        raise ValueError(f'robot_description is not XML: {error}') from error
    found = {}
    for joint in root.findall('joint'):
        limit = joint.find('limit')
        if limit is None or joint.get('type') == 'continuous':
            continue
        try:
            found[joint.get('name', '')] = (float(limit.get('lower', '0')), float(limit.get('upper', '0')))
        except ValueError as error:
            raise ValueError(f'limits of joint {joint.get("name")!r} in robot_description: {error}') from error
    return found


def _joints_differ(controller: str, expected: tuple[str, ...], running: tuple[str, ...]) -> list[str]:
    if expected == running:
        return []
    if missing := [joint for joint in expected if joint not in running]:
        return [f'{controller} does not move joint {missing[0]!r} of the profile; it moves {list(running)}']
    if further := [joint for joint in running if joint not in expected]:
        return [f'{controller} also moves joint {further[0]!r}, which the profile does not name']
    if len(running) != len(expected):
        return [f'{controller} names a joint twice: {list(running)}']
    first = next(one for one, other in zip(expected, running, strict=True) if one != other)
    return [f'{controller} has its joints in another order, from joint {first!r} on: {list(running)}']
