"""Trials with requests: each is done right, questioned, refused, taken for talk, or done wrong."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from lucca_core.protocol.actions import ActionCall
from lucca_core.protocol.snapshots import USERS_SIDE, Container, Pose, TableObject
from lucca_lab.symbolic_table import sample_objects
from lucca_lab.understanding.drawn_request import CONTAINERS, POINTED, USER, Deed, DrawnRequest
from lucca_lab.understanding.outcomes import End, SentenceOutcome
from lucca_lab.understanding.stack import NO_EMBEDDING, stack_on_table
from lucca_lab.understanding.tidy_scenarios import SHIPPED_WORDING, tidy_actions
from lucca_memory.procedural import ActionSpec, EffectKind, load_actions

_OFFER = 'Shall I '
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

    `right_after_yes`: whether it is done rightly at once, or after a yes to the robot's own `Shall I …?`
    """

    request: DrawnRequest
    outcome: SentenceOutcome
    verdict: Verdict
    right_after_yes: bool


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
            'by_mood': {mood: _shares(items) for mood, items in _grouped(can, lambda item: item.mood).items()},
        }


def judge_requests(
    requests: Sequence[DrawnRequest], *, llm: str, on_progress: Callable[[int], None] = lambda _: None
) -> RequestsReport:
    """Says each request to a robot at a table of its own.

    Raises:
        ConfigError: the spec is wrong.
    """
    judged = []
    shipped = load_actions()
    for number, request in enumerate(requests):
        on_progress(number)
        actions = (
            {**tidy_actions(SHIPPED_WORDING, request.places), 'give': shipped['give']} if request.places else shipped
        )
        objects, geometry = _laid_out(request)
        with stack_on_table(
            objects,
            (*(request.places or CONTAINERS), *(item.name for item in geometry if item.name == USERS_SIDE)),
            tasks={} if request.places else None,
            actions=actions,
            llm=llm,
            embedding=NO_EMBEDDING,
            geometry=geometry,
        ) as robot:
            for name, place in request.held.items():
                robot.table.put(name, place)
            outcome = robot.say(request.text)
            judgement = _verdict_on(request, outcome, actions)
            is_right = judgement is Verdict.RIGHT
            if request.wanted and judgement is Verdict.ASKED and _OFFER in outcome.said:
                is_right = _verdict_on(request, robot.say('Yes.'), actions) is Verdict.RIGHT
        judged.append(JudgedRequest(request, outcome, judgement, is_right))
    return RequestsReport(judged)


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


def _shares(judged: Sequence[JudgedRequest]) -> dict[str, float]:
    counts = Counter(item.verdict for item in judged)
    shares = {str(verdict): round(counts[verdict] / len(judged), 4) if judged else 0.0 for verdict in Verdict}
    after_yes = sum(item.right_after_yes for item in judged)
    return {**shares, 'right_after_yes': round(after_yes / len(judged), 4) if judged else 0.0}
