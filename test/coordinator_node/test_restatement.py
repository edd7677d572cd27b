"""What was understood is restated before anything moves, confirmed if need be, and compared with what is seen."""

import json

import pytest

from coordinator_node.tasks.changes import TaskChange
from coordinator_node.tasks.restatement import FORM, Restatement, read_restatement
from lucca_core.paths import config_dir
from lucca_core.protocol.actions import ActionCall
from lucca_core.protocol.goals import AS_UNDERSTOOD, End, Phase, Status
from lucca_memory.procedural import load_actions

ACTIONS = load_actions()
RESTATE = {'restate': True}


def answer(**fields: object) -> str:
    return json.dumps({'understood': 'put the pear in box 1', 'calls': ['move_to_box_1(pear)'], **fields})


def test_a_restatement_is_read() -> None:
    text = answer(not_understood=['soon'], not_seen=['tools'])
    found = read_restatement(f'Here it is: {text}', ['move_to_box_1'], ['pear'])
    assert found.understood == 'put the pear in box 1'
    assert found.not_understood == ('soon',)
    assert found.calls == (ActionCall('move_to_box_1', 'pear'),)
    assert found.not_seen == ('tools',)


@pytest.mark.parametrize(
    ('text', 'reason'),
    [
        ('I will do it.', 'one JSON object'),
        ('{"understood": 3}', 'are texts'),
        (answer(calls='move_to_box_1(pear)'), 'a list of texts'),
        (answer(not_seen='tools'), 'a list of texts'),
        (answer(calls=['fly(pear)']), 'no action of the task'),
        (answer(calls=['move_to_box_1(whale)']), 'no object'),
        (answer(calls=['move']), 'one call'),
        (answer(understood='\ud800'), 'surrogates not allowed'),
        (answer(not_understood=['\udfff']), 'surrogates not allowed'),
        (answer(calls=['move_to_box_1(pear)'] * 101), 'at most 100'),
        (answer(understood=FORM[0]), 'copied from the form'),
        (answer(not_understood=[FORM[1]]), 'copied from the form'),
        (answer(question=f'{FORM[2]} '), 'copied from the form'),
        ('{"understood": ' + '[' * 100_000 + '}', 'one JSON object'),
    ],
)
def test_anything_else_is_answered_with_what_would_be_right(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        read_restatement(text, ['move_to_box_1'], ['pear'])


def test_the_form_is_that_of_the_prompt() -> None:
    prompt = (config_dir() / 'prompts' / 'coordinator_restate.j2').read_text(encoding='utf-8')
    assert all(f'"{text}"' in prompt for text in FORM)


def restating(harness, **fields):
    """A model that restates in this way and then works as a good one."""
    good = harness.model.chat

    def chat(messages, options, **rest):
        if 'how you understand' in messages[-1].content:
            harness.model.answers = [answer(**fields)]
            reply = good(messages, options, **rest)
            harness.model.answers = None
            return reply
        return good(messages, options, **rest)

    harness.model.chat = chat
    return harness


def test_it_is_told_and_written_before_the_first_motion(harness) -> None:
    result = restating(harness, calls=[]).run(settings=RESTATE)
    assert result.status is Status.FINISHED
    assert result.understood == 'put the pear in box 1'
    phases = [event.phase for event in harness.events]
    assert phases.index(Phase.UNDERSTOOD) < phases.index(Phase.ACTING)


def test_what_asks_moves_nothing(harness) -> None:
    result = restating(harness, question='Which box?', not_understood=['soon'], calls=[]).run(settings=RESTATE)
    assert (result.end, result.question, result.not_understood) == (End.ASKED, 'Which box?', ('soon',))
    assert not harness.world.boxed


def test_words_that_were_not_understood_are_a_question(harness) -> None:
    result = restating(harness, not_understood=['soon'], calls=[]).run(settings=RESTATE)
    assert result.end is End.ASKED
    assert 'soon' in result.question


def test_always_asks_even_where_all_is_clear(harness) -> None:
    result = restating(harness, calls=['move_to_box_1(pear)']).run(
        settings={**RESTATE, 'confirm_understanding': 'always'}
    )
    assert result.end is End.ASKED
    assert not harness.world.boxed


def test_never_asks_nothing(harness) -> None:
    result = restating(harness, question='Which box?', calls=[]).run(
        settings={**RESTATE, 'confirm_understanding': 'never'}
    )
    assert result.end is End.DONE


def test_who_agreed_is_not_asked_again(harness) -> None:
    result = restating(harness, question='Which box?', calls=[]).run(settings=RESTATE, confirmed=AS_UNDERSTOOD)
    assert result.end is End.DONE


@pytest.mark.parametrize(
    ('settings', 'confirmed'),
    [({**RESTATE, 'confirm_understanding': 'never'}, ''), (RESTATE, AS_UNDERSTOOD)],
    ids=['never', 'agreed before'],
)
def test_a_question_about_a_change_is_asked_and_the_task_stays_as_it_was(harness, settings, confirmed) -> None:
    change = TaskChange('and the other one, too', 'Ana')
    new = [change]

    def changes(last):
        found = tuple(new)
        new.clear()
        return found

    result = restating(harness, question='Which other one?', calls=[]).run(
        settings=settings, confirmed=confirmed, changes=changes
    )
    assert change.wait(lambda: True).question == 'Which other one?'
    assert result.end is End.ASKED
    assert not harness.world.boxed


def test_a_model_that_restates_nothing_moves_nothing(harness) -> None:
    result = restating(harness, calls='all').run(settings=RESTATE)
    assert result.status is Status.FAILED
    assert not harness.world.boxed
    assert 'did not say how it understands' in result.reason


PEAR = Restatement(calls=(ActionCall('move_to_box_1', 'pear'),))


def test_what_was_restated_has_to_be_seen(harness) -> None:
    assert 'pear is not in box 1' in PEAR.unfinished(ACTIONS, harness.world.snapshot(), ['<move_to_box_1(pear)>'])
    harness.world.boxed.append('pear')
    assert PEAR.unfinished(ACTIONS, harness.world.snapshot(), []) == ''


def test_what_does_not_last_or_is_out_of_sight_counts_as_the_log_has_it(harness) -> None:
    pointed = Restatement(calls=(ActionCall('point', 'pear'), ActionCall('give', 'whale')))
    done = ['<point(pear)>', '<give(whale)>']
    assert pointed.unfinished(ACTIONS, harness.world.snapshot(), done) == ''
    assert '<give(whale)>' in pointed.unfinished(ACTIONS, harness.world.snapshot(), done[:1])


def test_another_object_stands_in_for_one_that_failed(harness) -> None:
    harness.world.boxed.append('apple')
    done, failed = ['<move_to_box_1(apple)>'], [ActionCall('move_to_box_1', 'pear')]
    assert PEAR.unfinished(ACTIONS, harness.world.snapshot(), done)
    assert PEAR.unfinished(ACTIONS, harness.world.snapshot(), done, failed) == ''


def test_a_finish_against_the_restatement_is_refused(harness) -> None:
    harness.world.names = ('pear',)
    harness.world.elsewhere['pear'] = 'box 2'
    result = restating(harness, calls=['move_to_box_1(pear)']).run(settings=RESTATE)
    assert result.status is Status.FAILED
    assert 'pear is not in box 1' in result.reason


def stacked(*names, steps=()):
    calls = tuple(ActionCall('put_on_tower', name) for name in names)
    return Restatement(understood='stack', calls=calls, steps=steps)


@pytest.mark.parametrize(
    ('steps', 'done', 'description', 'names'),
    [
        ((0, 1, 1), (), 'Tidy.', ['red']),
        ((0, 1, 1), ('<put_on_tower(red)>',), 'Tidy.', ['green', 'blue']),
        ((0, 0, 0), (), 'Stack them in this order.', ['red', 'green', 'blue']),
        ((), (), 'Stack them in this order.', ['red']),
        ((), (), 'Tidy.', ['red', 'green', 'blue']),
    ],
)
def test_what_may_come_next_is_what_was_restated_and_without_it_what_the_words_say(steps, done, description, names):
    left = [name for name in ('red', 'green', 'blue') if f'<put_on_tower({name})>' not in done]
    assert list(stacked('red', 'green', 'blue', steps=steps).next_of(left, done, description)) == names


def test_nothing_is_left_for_later_for_the_sake_of_an_object_that_was_not_restated():
    assert stacked('red', steps=(0,)).next_of(['red', 'cup'], (), 'Tidy.') == ('red',)


@pytest.mark.parametrize('steps', ['[0]', '"first"', '[0, "1"]', '[0, true]'])
def test_steps_that_are_not_one_number_for_each_call_are_refused(steps):
    answer = f'{{"understood": "stack", "calls": ["put_on_tower(red)", "put_on_tower(green)"], "steps": {steps}}}'
    with pytest.raises(ValueError, match='one whole number for each call'):
        read_restatement(answer, ['put_on_tower'], ['red', 'green'])
