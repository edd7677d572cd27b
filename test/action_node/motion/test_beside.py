"""Things that stand close to others: taken without touching them, and given without running over them."""

import contextlib

import pytest
from tabletops import PROFILES, Thing, Truth, planner, seen

from action_node.motion import planner as planner_module
from action_node.motion.arm_planner import MotionInfeasible
from action_node.motion.motion_plan import MotionPlan, MotionRequest
from action_node.motion.skills import Attempts
from lucca_core.errors import MotionError
from lucca_core.protocol.snapshots import USERS_SIDE


@pytest.mark.parametrize('gap_m', [0.001, 0.004, 0.01])
@pytest.mark.parametrize('job', [('pick_and_place', 'box 1'), ('give', USERS_SIDE)])
def test_a_thing_is_lifted_out_from_beside_another(gap_m: float, job: tuple[str, str]) -> None:
    """Nearer to it than the clearance that is kept everywhere else: as it fell, not as a hand would put it."""
    ball, box = (0.062, 0.062, 0.062), (0.078, 0.056, 0.036)
    for away in (-1, 1):
        things = [
            Thing('ball', 'sphere', ball, 0.45, 0.4, 0.0),
            Thing('box', 'box', box, 0.45, 0.4 + away * (0.031 + 0.028 + gap_m), 0.0),
        ]
        for thing in things:
            snapshot = seen(things, 0, 0.0)
            plan = planner('nicol').plan(MotionRequest(job[0], thing.name, job[1]), snapshot, PROFILES['nicol'].home)
            assert Truth('nicol', things).touches(plan, thing.name) == []


@pytest.mark.parametrize('height_m', [0.012, 0.018, 0.024])
@pytest.mark.parametrize('gap_m', [0.0005, 0.004])
def test_what_is_given_is_not_pushed_over_a_flat_thing_in_its_way(height_m: float, gap_m: float) -> None:
    """It slides along the table elsewhere; here it is lifted."""
    radius_m = 0.031 + 0.052 + gap_m
    things = [
        Thing('ball', 'sphere', (0.062, 0.062, 0.062), 0.45, 0.4, 0.0),
        Thing('disc', 'cylinder', (0.104, 0.104, height_m), 0.45 + radius_m, 0.4, 0.0),
    ]
    request = MotionRequest('give', 'ball')
    plan = planner('nicol').plan(request, seen(things, 0, 0.0), PROFILES['nicol'].home)
    assert Truth('nicol', things).touches(plan, 'ball') == []


@pytest.mark.parametrize('height_m', [0.006, 0.009, 0.013])
@pytest.mark.parametrize('ahead_m', [0.1, 0.16])
def test_what_is_given_does_not_slide_over_a_flat_thing_farther_along(height_m: float, ahead_m: float) -> None:
    """A bottle reaches down as far as it is held up, not as far as would be handy."""
    things = [
        Thing('bottle', 'cylinder', (0.06, 0.06, 0.16), 0.45, 0.3, 0.0),
        Thing('phone', 'box', (0.08, 0.3, height_m), 0.45 + ahead_m, 0.3, 0.0),
    ]
    plan = planner('nicol').plan(MotionRequest('give', 'bottle'), seen(things, 0, 0.0), PROFILES['nicol'].home)
    assert Truth('nicol', things).touches(plan, 'bottle') == []


def test_only_what_is_in_the_way_of_the_grasp_is_come_near(monkeypatch: pytest.MonkeyPatch) -> None:
    """A wall of boxes on two sides of a ball, and one far away."""
    size = (0.045, 0.045, 0.045)
    around = [(0.056, 0.0), (-0.056, 0.0), (0.0, 0.056), (0.0, -0.056)]
    things = [
        Thing('ball', 'sphere', (0.062, 0.062, 0.062), 0.45, 0.4, 0.0),
        *(Thing(f'box {index}', 'box', size, 0.45 + x, 0.4 + y, 0.0) for index, (x, y) in enumerate(around)),
        Thing('far', 'box', size, 0.3, -0.4, 0.0),
    ]
    asked = []
    real = planner_module.pick_and_place

    def spy(*args: object) -> MotionPlan | None:
        asked.append(args[5] if len(args) > 5 else ())
        return real(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(planner_module, 'pick_and_place', spy)
    with contextlib.suppress(MotionError):
        planner('nicol').plan(
            MotionRequest('pick_and_place', 'ball', 'box 1'), seen(things, 0, 0.0), PROFILES['nicol'].home
        )
    assert asked[:2] == [(), ()]
    assert asked[2:]
    assert all(names and 'far' not in names and 'ball' not in names for names in asked[2:])


def test_what_is_out_of_reach_is_searched_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    real = planner_module.pick_and_place

    def spy(*args: object) -> MotionPlan | None:
        asked.append(args)
        return real(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(planner_module, 'pick_and_place', spy)
    box = (0.05, 0.05, 0.05)
    things = [Thing('near', 'box', box, 0.4, 0.4, 0.0), Thing('far', 'box', box, 0.9, 0.9, 0.0)]
    with pytest.raises(MotionError, match='does not reach'):
        planner('nicol').plan(MotionRequest('pick_and_place', 'far', 'box 1'), seen(things, 0), PROFILES['nicol'].home)
    assert len(asked) == len(PROFILES['nicol'].arms)


@pytest.mark.parametrize('kind', ['pick_and_place', 'point'])
def test_there_is_no_second_search_for_nothing(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The target is not beside itself, and a pointing finger comes near to nothing."""
    asked = []

    def in_the_way(arm: object, situation: object, solid: object, *rest: object) -> None:
        attempts = next(item for item in rest if isinstance(item, Attempts))
        attempts.note(MotionInfeasible(2, 'it is in the way', 'box' if kind == 'pick_and_place' else 'other'))
        asked.append(rest)

    monkeypatch.setattr(planner_module, kind, in_the_way)
    size = (0.05, 0.05, 0.05)
    things = [Thing('box', 'box', size, 0.4, 0.4, 0.0), Thing('other', 'box', size, 0.4, 0.46, 0.0)]
    request = MotionRequest(kind, 'box', 'box 1')  # type: ignore[arg-type]
    with pytest.raises(MotionError, match='in the way'):
        planner('nicol').plan(request, seen(things, 0), PROFILES['nicol'].home)
    assert len(asked) == len(PROFILES['nicol'].arms)
