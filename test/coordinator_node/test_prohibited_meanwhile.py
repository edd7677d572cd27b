"""Prohibitions that come and go while a goal runs: it heeds them from its next decision on, and does what is freed."""

import json
from typing import Any

import pytest

from lucca_core.errors import MemoryFault, StackError
from lucca_core.protocol.goals import Phase, Status
from lucca_core.protocol.prohibitions import Prohibition

THE_BANANA = Prohibition(what='the banana')
THE_PEAR = Prohibition(what='the pear')


def moved(harness: Any) -> list[str]:
    return [request.text.split('(')[1].rstrip(')>') for request in harness.world.requests]


def after_the_first_action(harness: Any, *kept: Prohibition) -> None:
    def change() -> None:
        if len(harness.world.requests) == 1:
            harness.prohibitions.kept = list(kept)

    harness.world.on_execute = change


def restating(harness: Any) -> list[str]:
    """Lets the model restate what it sees that is not prohibited; returns the prompts of its restatements."""
    good, asked = harness.model.chat, []

    def chat(messages: Any, options: Any, **more: Any) -> Any:
        question = messages[-1].content
        if '"understood"' not in question:
            return good(messages, options, **more)
        asked.append(question)
        barred = [line for line in question.splitlines() if line.startswith('Must not be')]
        free = [name for name in harness.world.names if not any(line.endswith(f': {name}') for line in barred)]
        answer = {'understood': f'box {" and ".join(free)}', 'calls': [f'move_to_box_1({name})' for name in free]}
        harness.model.answers = [json.dumps(answer)]
        try:
            return good(messages, options, **more)
        finally:
            harness.model.answers = None

    harness.model.chat = chat
    return asked


def left_alone(harness: Any) -> None:
    """The worker lists nothing that is prohibited, as its model is told of it."""
    working = harness.world.working

    def without(task: str, snapshot: Any, *, cancelled: Any, prohibited: Any = ()) -> Any:
        on_table = [item for item in snapshot if not any(line.endswith(f': {item.name}') for line in prohibited)]
        return working(task, type(snapshot)(stamp_s=snapshot.stamp_s, objects=tuple(on_table)), cancelled=cancelled)

    harness.world.working = without


def test_what_is_lifted_in_the_middle_of_a_task_is_done(harness: Any) -> None:
    left_alone(harness)
    harness.prohibitions.kept = [THE_BANANA]
    after_the_first_action(harness)
    result = harness.run()
    assert result.status is Status.FINISHED
    assert sorted(moved(harness)) == ['apple', 'banana', 'pear']


def test_what_is_lifted_at_the_very_end_is_done(harness: Any) -> None:
    """The model has just answered that the task is finished."""
    left_alone(harness)
    harness.prohibitions.kept = [THE_BANANA]

    def lift() -> None:
        if 'in order: none' in harness.model.asked[-1][-1].content:
            harness.prohibitions.kept = []

    harness.model.on_chat = lift
    result = harness.run()
    assert result.status is Status.FINISHED
    assert moved(harness) == ['apple', 'pear', 'banana']


def test_what_is_prohibited_in_the_middle_of_a_task_does_not_reach_the_gate(harness: Any) -> None:
    left_alone(harness)
    after_the_first_action(harness, THE_PEAR)
    harness.run()
    assert moved(harness) == ['apple', 'banana']


def test_the_person_is_told_how_the_task_is_understood_now(harness: Any) -> None:
    left_alone(harness)
    prompts = restating(harness)
    harness.prohibitions.kept = [THE_BANANA]
    after_the_first_action(harness)
    result = harness.run(settings={'restate': True})
    told = [event.text for event in harness.events if event.phase is Phase.UNDERSTOOD]
    assert told == ['box apple and pear', 'box apple and banana and pear']
    assert ['Must not be moved' in prompt for prompt in prompts] == [True, False]
    assert (result.status, result.understood) == (Status.FINISHED, told[-1])


def test_of_what_is_not_on_the_table_nothing_is_restated(harness: Any) -> None:
    prompts = restating(harness)
    after_the_first_action(harness, Prohibition(what='the hammer'))
    assert harness.run(settings={'restate': True}).status is Status.FINISHED
    assert len(prompts) == 1


def test_once_it_is_not_known_what_is_prohibited_nothing_more_moves(harness: Any) -> None:
    def damage() -> None:
        harness.prohibitions.fault = MemoryFault('the file /x/prohibitions.json cannot be read, so nothing moves')

    harness.world.on_execute = damage
    result = harness.run()
    assert moved(harness) == ['apple']
    assert result.status is not Status.FINISHED
    assert '/x/prohibitions.json' in result.said


@pytest.mark.parametrize('away_s', [0.5, 1e9])
def test_an_action_node_that_is_away_is_waited_for(away_s: float, harness: Any) -> None:
    asked: list[float] = []
    ask = harness.prohibitions.ask

    def later(request: Any, **more: Any) -> Any:
        asked.append(harness.clock.now_s)
        if len(harness.world.requests) == 1 and harness.clock.now_s < asked[0] + away_s:
            raise StackError('the action node does not answer')
        return ask(request, **more)

    harness.prohibitions.ask = later
    result = harness.run()
    assert (result.status is Status.FINISHED) is (away_s == 0.5)
    assert len(moved(harness)) == (3 if away_s == 0.5 else 1)


def test_a_cancel_while_the_action_node_is_away_ends_the_wait(harness: Any) -> None:
    flags: list[bool] = []
    ask = harness.prohibitions.ask

    def away(request: Any, *, cancelled: Any) -> Any:
        if not harness.world.requests:
            return ask(request)
        assert not cancelled()
        flags.append(True)
        assert cancelled(), 'so the wait for the service ends'
        raise StackError('cancelled')

    harness.prohibitions.ask = away
    assert harness.run(cancelled=lambda: bool(flags)).status is Status.CANCELLED
    assert flags == [True]
