"""Trials with requests: each is done right, questioned, refused, taken for talk, or done wrong."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from lucca_core.protocol.actions import ActionCall
from lucca_core.protocol.snapshots import USERS_SIDE, Container, Pose, TableObject
from lucca_lab.symbolic_table import sample_objects
from lucca_lab.understanding.drawn_request import CONTAINERS, POINTED, USER, Deed, DrawnRequest
from lucca_lab.understanding.libero import names_on_table
from lucca_lab.understanding.outcomes import End, SentenceOutcome
from lucca_lab.understanding.stack import NO_EMBEDDING, StackOnTable, model_kept_open, stack_on_table
from lucca_lab.understanding.tidy_scenarios import SHIPPED_WORDING, tidy_actions
from lucca_memory.procedural import ActionSpec, Effect, EffectKind, Motion, Precondition, load_actions

_OFFER = 'Shall I '
_WHICH = re.compile(r'(?:Which one do you mean by|I am not sure which) .*?[”"](?: is)?: (?P<names>[^?:]+)\?')
_VIEW = re.compile(r' \([^()]*\)$')
_MOST_ANSWERS = 2
_PICK_UP = ActionSpec(
    name='pick_up',
    description='Pick up an object.',
    motion=Motion.POINT,
    effect=Effect(EffectKind.POINTED_AT),
    preconditions=(Precondition.ON_TABLE, Precondition.HAND_FREE),
)
_USERS_SIDE = Container(name=USERS_SIDE, position_world_m=(0.8, 0.0, 0.0), size_m=(0.3, 2.0, 0.0))


class Verdict(StrEnum):
    """The verdict on a request.

    REFUSED: refused or failed. TALK: answered as if nothing had been requested. WRONG: something else was done, or the
    robot said that the request was done although it was not.
    """

    RIGHT = 'right'
    ASKED = 'asked'
    REFUSED = 'refused'
    TALK = 'talk'
    WRONG = 'wrong'


@dataclass(frozen=True, slots=True)
class JudgedRequest:
    """A request, its outcome, and the verdict.

    Attributes:
        right_after_yes: whether it is done rightly at once, or after a yes to the robot's own `Shall I …?`, whatever it
            asks.
        after_answers: the verdict after at most two answers of somebody who knows what was meant: a yes to a
            `Shall I …?` that offers just that, and the name where the robot asks about names that have it.
    """

    request: DrawnRequest
    outcome: SentenceOutcome
    verdict: Verdict
    right_after_yes: bool
    after_answers: Verdict


@dataclass(frozen=True, slots=True)
class RequestsReport:
    """All requests with their verdicts."""

    judged: Sequence[JudgedRequest]

    def as_json(self) -> dict[str, Any]:
        """Verdicts as shares: of requests that can be done, and separately of those that cannot."""
        can = [item for item in self.judged if item.request.wanted]
        cannot = [item for item in self.judged if not item.request.wanted]
        return {
            'requests': len(can),
            **_shares(can),
            'outside': {'requests': len(cannot), **_shares(cannot)},
            'by_kind': {kind: _shares(items) for kind, items in _grouped(self.judged, lambda item: item.kind).items()},
            **_by_people(can),
            'by_mood': {mood: _shares(items) for mood, items in _grouped(can, lambda item: item.mood).items()},
        }


def judge_requests(
    requests: Sequence[DrawnRequest], *, llm: str, on_progress: Callable[[int], None] = lambda _: None
) -> RequestsReport:
    """Says each request to a robot at a table of its own.

    Raises:
        ConfigError: the spec is wrong.
    """
    with model_kept_open(llm):
        return RequestsReport([_judged(request, llm) for request in _told(requests, on_progress)])


def _told(requests: Sequence[DrawnRequest], on_progress: Callable[[int], None]) -> Iterator[DrawnRequest]:
    for number, request in enumerate(requests):
        on_progress(number)
        yield request


def _judged(request: DrawnRequest, llm: str) -> JudgedRequest:
    actions = _actions_for(request)
    with _robot_for(request, actions, llm) as robot:
        outcome = robot.say(request.text)
        judgement = _verdict_on(request, outcome, actions)
        is_right = judgement is Verdict.RIGHT
        if request.wanted and judgement is Verdict.ASKED and _OFFER in outcome.said:
            is_right = _verdict_on(request, robot.say('Yes.'), actions) is Verdict.RIGHT
    after = judgement
    if request.wanted and _answer_to(outcome.said, request):
        with _robot_for(request, actions, llm) as robot:
            after = _after_answers(request, robot, actions)
    return JudgedRequest(request, outcome, judgement, is_right, after)


def _actions_for(request: DrawnRequest) -> Mapping[str, ActionSpec]:
    shipped = load_actions()
    if request.picks:
        return {_PICK_UP.name: _PICK_UP, 'give': shipped['give']}
    return {**tidy_actions(SHIPPED_WORDING, request.places), 'give': shipped['give']} if request.places else shipped


@contextmanager
def _robot_for(request: DrawnRequest, actions: Mapping[str, ActionSpec], llm: str) -> Iterator[StackOnTable]:
    objects, geometry = _laid_out(request)
    places = request.places or (() if request.picks else CONTAINERS)
    with stack_on_table(
        objects,
        (*places, *(item.name for item in geometry if item.name == USERS_SIDE)),
        tasks={} if request.places or request.picks else None,
        actions=actions,
        llm=llm,
        embedding=NO_EMBEDDING,
        geometry=geometry,
    ) as robot:
        for name, place in request.held.items():
            robot.table.put(name, place)
        yield robot


def _after_answers(request: DrawnRequest, robot: StackOnTable, actions: Mapping[str, ActionSpec]) -> Verdict:
    outcome = robot.say(request.text)
    for _ in range(_MOST_ANSWERS):
        answer = _answer_to(outcome.said, request)
        if not answer:
            break
        outcome = robot.say(answer)
    return _verdict_on(request, outcome, actions)


def _answer_to(said: str, request: DrawnRequest) -> str:
    """What somebody who wants the first of the wanted deeds answers; empty if the robot asks nothing that is so."""
    named = [(place, _numbered(name, request)) for place, name in next(iter(request.wanted), ())]
    if _OFFER in said:
        offered = said[said.index(_OFFER) :]
        others = {_numbered(name, request) for name in names_on_table(request.objects)} - {name for _, name in named}
        is_so = all(_holds(offered, name) for _, name in named) and not any(_holds(offered, name) for name in others)
        places = [place for place in request.places if _holds(offered, place)]
        return 'Yes.' if is_so and {*places} <= {place for place, _ in named} else ''
    asked = _WHICH.search(said)
    options = [] if asked is None else [_VIEW.sub('', name) for name in re.split(r', | or ', asked['names'])]
    wanted = [part for deed in next(iter(request.wanted), ()) for part in deed]
    meant = [_numbered(option, request) for option in options if option in wanted]
    if len(meant) > 1 and _VIEW.search(said.rstrip('?')) is not None:
        return 'From where I sit.'  # of both plates, each is meant for something
    return next(iter(meant), '')


def _holds(text: str, name: str) -> bool:
    return re.search(rf'\b{re.escape(name)}\b(?! \d)', text, re.IGNORECASE) is not None


def _numbered(name: str, request: DrawnRequest) -> str:
    """The name as the robot says it: `cup 1` beside `cup 2`."""
    return f'{name} 1' if f'{name} 2' in names_on_table(request.objects) else name


def _laid_out(request: DrawnRequest) -> tuple[list[TableObject], list[Container]]:
    """The objects of a request where they are, and its places with the user's side, if it is known where these are."""
    objects = [
        replace(item, pose_world=Pose((*request.at_m[item.name], 0.0))) if item.name in request.at_m else item
        for item in sample_objects(request.objects)
    ]
    if not request.at_m:
        return objects, []
    places = [Container(name=name, position_world_m=(*request.at_m[name], 0.0)) for name in request.places]
    return objects, [*places, _USERS_SIDE]


def _verdict_on(request: DrawnRequest, outcome: SentenceOutcome, actions: Mapping[str, ActionSpec]) -> Verdict:
    return verdict(request, outcome.end, [deed_of(call, actions) for call in outcome.performed])


def deed_of(call: str, actions: Mapping[str, ActionSpec]) -> Deed:
    """The deed of a call, according to the effect of its action."""
    parsed = ActionCall.from_text(call)
    effect = actions[parsed.name].effect
    if effect.kind is EffectKind.POINTED_AT:
        return POINTED, parsed.argument
    return USER if effect.container in ('', USERS_SIDE) else effect.container, parsed.argument


def verdict(request: DrawnRequest, end: End, deeds: Sequence[Deed]) -> Verdict:
    """The verdict on the deeds that followed a request."""
    if not request.wanted:
        if deeds or end is End.DONE:
            return Verdict.WRONG
        return {End.ASKED: Verdict.ASKED, End.TOLD: Verdict.TALK}.get(end, Verdict.REFUSED)
    if _fits(request, deeds) and (end is End.DONE or frozenset() in request.wanted):
        return Verdict.RIGHT
    if deeds or end is End.DONE:
        return Verdict.WRONG
    return {End.ASKED: Verdict.ASKED, End.TOLD: Verdict.TALK}.get(end, Verdict.REFUSED)


def _fits(request: DrawnRequest, deeds: Sequence[Deed]) -> bool:
    in_order = [deed for deed in deeds if deed in request.order]
    return len(set(deeds)) == len(deeds) and frozenset(deeds) in request.wanted and in_order == [*request.order]


def _grouped(judged: Sequence[JudgedRequest], key: Callable[[DrawnRequest], str]) -> dict[str, list[JudgedRequest]]:
    groups: dict[str, list[JudgedRequest]] = {}
    for item in judged:
        groups.setdefault(key(item.request), []).append(item)
    return groups


def _by_people(judged: Sequence[JudgedRequest]) -> dict[str, Any]:
    """How well people understood the same requests, and how those that the robot did wrongly; empty if unknown."""
    known = {id(item): item.request.by_people for item in judged if item.request.by_people is not None}
    if not known:
        return {}
    wrong = [known[id(item)] for item in judged if item.verdict is Verdict.WRONG and id(item) in known]
    return {'people': round(sum(known.values()) / len(known), 4), 'people_where_wrong': sorted(wrong)}


def _shares(judged: Sequence[JudgedRequest]) -> dict[str, float]:
    counts = Counter(item.verdict for item in judged)
    shares = {str(verdict): round(counts[verdict] / len(judged), 4) if judged else 0.0 for verdict in Verdict}
    after: dict[str, int] = {
        'right_after_yes': sum(item.right_after_yes for item in judged),
        'right_after_answers': sum(item.after_answers is Verdict.RIGHT for item in judged),
        'wrong_after_answers': sum(item.after_answers is Verdict.WRONG for item in judged),
    }
    return {**shares, **{name: round(count / len(judged), 4) if judged else 0.0 for name, count in after.items()}}
