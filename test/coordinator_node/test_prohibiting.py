"""Prohibitions in the coordinator: kept by a turn, told whatever the model says, and heeded with any model."""

from typing import Any

import pytest

from coordinator_node.interfaces import Tally, never
from coordinator_node.talk.interpretation import Heard
from coordinator_node.talk.tools import Wish
from lucca_core.codes import ReasonCode
from lucca_core.errors import MemoryFault, ModelUnusable, StackError
from lucca_core.protocol.goals import Status
from lucca_core.protocol.prohibitions import (
    NOT_A_PLACE,
    NOT_KEPT,
    Prohibition,
    ProhibitionChange,
    ProhibitionRequest,
)


def turn(harness: Any, text: str, *answers: object, said: list[str] | None = None) -> Any:
    harness.model.answers = list(answers)
    heard = Heard(text=text, person='Ana', source='cli')
    return harness.agent().turn(heard, Tally(), never, None if said is None else said.append)


def test_what_is_kept_is_told_whatever_the_model_says(harness: Any) -> None:
    meaning = turn(harness, "Don't touch my phone.", '<prohibit(my phone, anywhere)>', '<say(Fine.)>')
    assert harness.prohibitions.kept == [Prohibition(what='my phone', person='Ana')]
    assert meaning.argument == (
        'Fine. From now on I will not move your phone, whatever the task and also after a restart, '
        'until somebody says “you may move my phone again”.'
    )


def test_what_holds_already_is_said_to(harness: Any) -> None:
    harness.prohibitions.kept = [Prohibition(what='the phone', person='Ben')]
    meaning = turn(harness, "Don't touch the phone.", '<prohibit(the phone, anywhere)>', '<say(Fine.)>')
    assert meaning.argument == (
        'Fine. That holds already (Ben said so): I will not move the phone until somebody says “you may move the '
        'phone again”.'
    )
    assert harness.prohibitions.kept == [Prohibition(what='the phone', person='Ben')]


def test_a_list_that_does_not_come_keeps_nothing_from_being_prohibited(harness: Any, monkeypatch: Any) -> None:
    answer = harness.prohibitions.ask

    def ask(request: ProhibitionRequest, **options: Any) -> Any:
        if request.change is ProhibitionChange.LIST:
            raise StackError('no answer')
        return answer(request, **options)

    monkeypatch.setattr(harness.prohibitions, 'ask', ask)
    meaning = turn(harness, "Don't touch my phone.", '<prohibit(my phone, anywhere)>', '<say(Fine.)>')
    assert harness.prohibitions.kept == [Prohibition(what='my phone', person='Ana')]
    assert 'From now on I will not move your phone' in meaning.argument


@pytest.mark.parametrize(
    ('call', 'refusal', 'told'),
    [
        ('prohibit', f'{NOT_A_PLACE} “cup”; I put things in box 1', 'From now on I will not move the cup'),
        ('allow', f'{NOT_KEPT} “anything”; nothing is prohibited', 'No longer prohibited: “do not move the cup”'),
    ],
)
def test_of_a_cup_as_a_place_nothing_is_said_if_nothing_goes_there(
    call: str, refusal: str, told: str, harness: Any, monkeypatch: Any
) -> None:
    answer = harness.prohibitions.ask
    if call == 'allow':
        harness.prohibitions.kept = [Prohibition(what='the cup')]

    def ask(request: ProhibitionRequest, **options: Any) -> Any:
        if request.place:
            raise MemoryFault(refusal)
        return answer(request, **options)

    monkeypatch.setattr(harness.prohibitions, 'ask', ask)
    calls = (f'<{call}(the cup, anywhere)>', f'<{call}(anything, cup)>')
    meaning = turn(harness, 'You may touch the cup and anything in it again.', *calls, '<say(Fine.)>')
    assert meaning.argument.startswith(f'Fine. {told}')
    assert 'nothing' not in meaning.argument
    assert 'Done' in harness.model.asked[-1][-1].content


def test_of_another_place_and_of_other_faults_it_is_told(harness: Any, monkeypatch: Any) -> None:
    answer = harness.prohibitions.ask

    def ask(request: ProhibitionRequest, **options: Any) -> Any:
        if request.place:
            raise MemoryFault('the disk is full')
        return answer(request, **options)

    monkeypatch.setattr(harness.prohibitions, 'ask', ask)
    calls = ('<prohibit(the cup, anywhere)>', '<prohibit(anything, cup)>')
    assert 'the disk is full' in turn(harness, 'Leave the cup alone.', *calls, '<say(Fine.)>').argument


def test_beside_another_wish_it_is_told_as_well(harness: Any) -> None:
    said: list[str] = []
    meaning = turn(
        harness, 'Leave the pear alone.', '<prohibit(the pear, anywhere)>', '<change_task(tidy, x)>', said=said
    )
    assert meaning.wish is Wish.CHANGE
    assert said[0].startswith('From now on I will not move the pear')


def test_what_was_lifted_is_told_even_if_the_model_fails_afterwards(harness: Any) -> None:
    harness.prohibitions.kept = [Prohibition(what='the cup')]
    said: list[str] = []
    with pytest.raises(ModelUnusable):
        turn(harness, 'You may touch the cup again.', '<allow(the cup, anywhere)>', ModelUnusable('gone'), said=said)
    assert harness.prohibitions.kept == []
    assert said == ['No longer prohibited: “do not move the cup”.']


@pytest.mark.parametrize('fault', [StackError('the action node is gone'), MemoryFault('the disk is full')])
def test_what_is_not_confirmed_is_told_not_to_be_kept(fault: Exception, harness: Any) -> None:
    harness.prohibitions.fault = fault
    meaning = turn(harness, "Don't touch the cup.", '<prohibit(the cup, anywhere)>', '<say(I will never touch it.)>')
    assert meaning.argument.endswith(f'I keep no prohibition of “the cup”: {fault}.')


def test_without_arms_nothing_is_kept(harness: Any) -> None:
    harness.prohibitions = None
    meaning = turn(harness, "Don't touch the cup.", '<prohibit(the cup, anywhere)>', '<say(Sorry.)>')
    assert 'I keep no prohibition of “the cup”: there are no arms here' in meaning.argument


@pytest.mark.parametrize(
    ('text', 'lifted'),
    [
        ('You may touch the red cup again.', True),
        ('Red cups are fine again.', True),
        ('Tell me a joke.', False),
        ('Put everything in box 1.', False),
        ('You may touch the blue cup again.', False),
        ('Put the red cup in box 1.', False),
        ('You may not touch the red cup.', False),
        ('May I touch the red cup again?', False),
        ('Forget that you must not touch the red cup.', False),
        ('Forget the rule not to touch the red cup.', True),
        ('You are not to touch the red cup, that is the rule.', False),
        ('Do not forget the rule about the red cup.', False),
        ('If Ana agrees, you may touch the red cup again.', False),
        ('Maybe you may touch the red cup again.', False),
        ('You may touch the red cup only tomorrow.', False),
        ('Nobody may touch the red cup again.', False),
        ('You may touch everything but the red cup.', False),
        ('Ana said you may touch the red cup again.', False),
        ('Drop the rule about the red cup.', True),
        ('Do not lift the red cup.', False),
        ('Lift the red cup.', False),
        ('Do not forget the red cup.', False),
        ("Don't forget the red cup.", False),
    ],
)
def test_a_model_lifts_nothing_that_the_person_did_not_name(text: str, lifted: bool, harness: Any) -> None:
    harness.prohibitions.kept = [Prohibition(what='the red cup')]
    meaning = turn(harness, text, '<allow(the red cup, anywhere)>', '<say(Fine.)>')
    assert (harness.prohibitions.kept == []) is lifted
    assert ('No longer prohibited: “do not move the red cup”.' in meaning.argument) is lifted


@pytest.mark.parametrize(
    ('text', 'lifted'),
    [
        ('Put everything in box 1.', False),
        ('Can you put everything in box 1?', False),
        ('You can start now.', False),
        ('You can put the pear in box 1.', False),
        ('Yes, you can.', False),
        ('You may move everything again.', True),
        ('Forget your rules.', True),
    ],
)
def test_a_model_does_not_lift_what_holds_for_everything(text: str, lifted: bool, harness: Any) -> None:
    for place in ('anywhere', 'all'):
        harness.prohibitions.kept = [Prohibition(what='anything')]
        turn(harness, text, f'<allow(anything, {place})>', '<say(Fine.)>')
        assert (harness.prohibitions.kept == []) is lifted


@pytest.mark.parametrize(
    ('fault', 'told'),
    [
        (StackError('it gave no answer'), 'I do not know whether “the cup” is still prohibited: it gave no answer.'),
        (MemoryFault('the disk is full'), 'I have lifted nothing: the disk is full.'),
    ],
)
def test_a_lift_without_an_answer_is_not_told_to_have_failed(fault: Exception, told: str, harness: Any) -> None:
    harness.prohibitions.fault = fault
    meaning = turn(harness, 'You may touch the cup again.', '<allow(the cup, anywhere)>', '<say(Fine.)>')
    assert meaning.argument.endswith(told)


def test_the_prohibitions_are_told_with_who_said_them(harness: Any) -> None:
    harness.prohibitions.kept = [Prohibition(what='fruit', place='box 1', person='Ana')]
    turn(harness, 'What must you not touch?', '<prohibitions()>', '<say(Fruit.)>')
    assert 'Prohibited: do not put fruit in box 1 (Ana said so).' in harness.model.asked[-1][-1].content


def test_no_model_gets_to_a_prohibited_call_and_the_rest_is_done(harness: Any) -> None:
    """The harness's model would take every object that is listed."""
    harness.prohibitions.kept = [Prohibition(what='the banana')]
    result = harness.run()
    assert [request.text for request in harness.world.requests] == ['<move_to_box_1(apple)>', '<move_to_box_1(pear)>']
    shown = [message.content for asked in harness.model.asked for message in asked]
    assert any('Must not be moved (prohibition “the banana”): banana' in text for text in shown)
    assert result.status in (Status.FINISHED, Status.FAILED)


def test_a_restated_call_that_is_prohibited_is_shown_back(harness: Any) -> None:
    harness.prohibitions.kept = [Prohibition(what='the banana')]
    everything = '{"understood": "box all", "calls": ["move_to_box_1(banana)"]}'
    harness.model.answers = [everything] * 9
    result = harness.run(settings={'restate': True})
    assert result.status is Status.REFUSED
    assert result.said.startswith('I cannot do that: banana is prohibited: “do not move the banana”')
    assert 'To lift it, say “you may move the banana again”' in result.said
    assert harness.world.requests == []


def test_nothing_is_begun_while_it_is_not_known_what_is_prohibited(harness: Any) -> None:
    harness.prohibitions.fault = MemoryFault('the file /x/prohibitions.json cannot be read, so nothing moves')
    result = harness.run()
    assert result.status is Status.REFUSED
    assert '/x/prohibitions.json' in result.said
    assert harness.world.requests == []


def test_what_was_prohibited_since_the_decision_is_read_once_the_gate_refuses_it(harness: Any) -> None:
    harness.world.codes = [ReasonCode.PROHIBITED]

    def prohibit() -> None:
        harness.prohibitions.kept = [Prohibition(what='the apple')]

    harness.world.on_execute = prohibit
    harness.run()
    texts = [request.text for request in harness.world.requests]
    assert texts.count('<move_to_box_1(apple)>') == 1


@pytest.mark.parametrize(('person', 'told'), [('Ben', ' (Ben said so)'), ('Ana', ''), ('', '')])
def test_whoever_lifts_what_somebody_else_said_is_told_whose_wish_it_was(person: str, told: str, harness: Any) -> None:
    harness.prohibitions.kept = [Prohibition(what='the cup', person=person)]
    meaning = turn(harness, 'You may move the cup again.', '<allow(the cup, all)>', '<say(All right.)>')
    assert f'No longer prohibited: “do not move the cup”{told}.' in meaning.argument
