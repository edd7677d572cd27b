import threading
from dataclasses import replace

import pytest

from coordinator_node.goals.goals import QueueFull
from coordinator_node.interfaces import Goal
from lucca_core.errors import ModelUnusable, StackError
from lucca_core.protocol.goals import End, Phase, Status
from lucca_memory.procedural import check_task_name


@pytest.fixture
def dispatcher(harness):
    return harness.dispatcher(max_goals=3, cancel_timeout_s=5.0)


def serve(dispatcher, on_event=lambda _: None, goal_id='g', **goal):
    goal = Goal(goal_id=goal_id, **goal)
    dispatcher.queue.add(goal)
    return dispatcher.serve(goal, on_event)


def after_understanding(harness, answer):
    """The next text is answered with `answer`; after that the model does as a good one would."""

    def forget():
        if 'Which call fits?' not in harness.model.asked[-1][-1].content:
            harness.model.answers = None

    harness.model.answers = [answer]
    harness.model.on_chat = forget


def test_a_task_is_run_and_leaves_the_queue(dispatcher):
    assert serve(dispatcher, task='tidy').status is Status.FINISHED
    assert dispatcher.queue.running() is None
    assert dispatcher.queue.waiting() == ()


def test_what_understanding_cost_is_part_of_the_result(dispatcher, harness):
    after_understanding(harness, '<start_task(tidy)>')
    result = serve(dispatcher, text='tidy up')
    assert result.status is Status.FINISHED
    assert result.coordinator.calls == 1 + 12


def test_a_finished_task_asked_for_again_is_done_anew_but_a_resumed_one_is_not(dispatcher, harness):
    serve(dispatcher, task='tidy')
    harness.world.boxed.clear()
    after_understanding(harness, '<start_task(tidy)>')
    assert serve(dispatcher, text='tidy up again', goal_id='h').status is Status.FINISHED
    assert harness.world.log[-2:] == [('started', 'restart'), ('finished', '')]
    after_understanding(harness, '<resume_task(tidy)>')
    assert serve(dispatcher, text='go on tidying', goal_id='i').status is Status.FINISHED
    assert harness.world.log[-2:] == [('resumed', ''), ('finished', '')]


def test_a_described_task_is_taught_and_then_run(dispatcher, harness):
    harness.model.answers = ['<do(put the pear in box 1)>', *['<cannot_do(enough for a test)>'] * 6]
    result = serve(dispatcher, text='put the pear in box 1')
    assert result.task == 'request-1'
    assert result.status is Status.REFUSED
    assert harness.world.taught == {result.task: 'put the pear in box 1'}
    assert (
        f'## {result.task}\nput the pear in box 1\nActions of this task: point, give'
        in harness.model.asked[1][0].content
    )


def test_the_same_description_is_the_same_task(dispatcher, harness):
    text = 'Put the cans in box 1.'
    for goal_id in ('a', 'b'):
        harness.model.answers = ['<do(Put the cans in box 1.)>', *['<cannot_do(enough for a test)>'] * 6]
        serve(dispatcher, text=text, goal_id=goal_id)
    (name,) = harness.world.taught
    assert check_task_name(name) == name
    assert harness.world.taught == {name: text}


def test_a_text_that_is_too_long_is_refused_and_not_cut(dispatcher, harness):
    result = serve(dispatcher, text='put the pear in box 1 ' * 100_000)
    assert result.status is Status.REFUSED
    assert result.reason == 'that has 2200000 characters; I can take in 600 at most'
    assert harness.model.asked == []


def test_a_goal_without_task_and_text_is_refused(dispatcher):
    result = serve(dispatcher, text='  ')
    assert result.status is Status.REFUSED
    assert result.reason == 'a goal needs the name of a task, or a text'


def test_a_text_that_cannot_be_done_is_refused_with_its_reason(dispatcher, harness):
    harness.model.answers = ['<cannot_do(robots do not fly)>']
    result = serve(dispatcher, text='fly to the moon')
    assert (result.status, result.reason) == (Status.REFUSED, 'robots do not fly')
    assert result.said == 'I cannot do that: robots do not fly'
    assert harness.world.requests == []


def test_a_question_about_a_text_is_asked_and_is_no_refusal(dispatcher, harness):
    asked = 'From where you sit, that is box 1. Shall I do it: “put the pear into box 1”?'
    harness.model.answers = [f'<cannot_do({asked})>']
    result = serve(dispatcher, text='put the pear into the right box')
    assert (result.end, result.question, result.said) == (End.ASKED, asked, asked)
    assert harness.world.requests == []


def test_a_text_that_is_never_understood_is_refused(dispatcher, harness):
    harness.model.answers = ['nonsense'] * 10
    result = serve(dispatcher, text='asdf qwer')
    assert result.status is Status.REFUSED
    assert result.reason == f'I did not understand: asdf qwer; {harness.model.spec} gave no answer that I can use'


def test_a_question_is_answered_and_that_is_all(dispatcher, harness):
    harness.model.answers = ['<say(I know five tasks.)>']
    result = serve(dispatcher, text='what can you do?')
    assert (result.status, result.said) == (Status.FINISHED, 'I know five tasks.')


def test_stopping_what_does_not_run_says_so(dispatcher, harness):
    harness.model.answers = ['<stop_task(tidy)>']
    assert serve(dispatcher, text='stop tidying').said == 'I am not doing tidy.'


def test_what_was_asked_for_before_a_stop_is_told(dispatcher, harness):
    harness.model.answers = ['<stop_task(tidy)>']
    said = serve(dispatcher, text='Give me the pear and cancel tidy').said
    assert said == 'I am not doing tidy. I have only stopped, so please say the rest again: “Give me the pear”'


@pytest.mark.parametrize('error', [ModelUnusable('bad key'), StackError('away')])
def test_what_goes_wrong_ends_the_goal_and_frees_the_queue(dispatcher, harness, error):
    harness.model.answers = [error]
    result = serve(dispatcher, text='tidy up')
    assert result.status is Status.FAILED
    assert str(error) in result.reason
    assert result.said == f'I could not do that: {result.reason}'
    assert dispatcher.queue.waiting() == ()


def test_a_bug_is_raised_and_leaves_nobody_waiting(dispatcher, harness):
    harness.model.answers = [KeyError('surprise')]
    with pytest.raises(KeyError, match='surprise'):
        serve(dispatcher, task='tidy')
    harness.model.answers = None
    assert serve(dispatcher, task='tidy', goal_id='h').status is Status.FINISHED


def test_a_cancel_that_comes_before_its_goal_holds(dispatcher, harness):
    assert dispatcher.queue.cancel('g')
    result = serve(dispatcher, task='tidy')
    assert result.status is Status.CANCELLED
    assert harness.model.asked == []


def test_a_full_queue_takes_no_further_goal(dispatcher):
    for name in 'abc':
        dispatcher.queue.add(Goal(goal_id=name, task='tidy'))
    with pytest.raises(QueueFull):
        dispatcher.queue.add(Goal(goal_id='d', task='tidy'))


def test_a_waiting_goal_says_what_it_waits_for_and_runs_then(dispatcher, harness):
    reached, release, events = threading.Event(), threading.Event(), []

    def hold():
        if not reached.is_set():
            reached.set()
            release.wait(10.0)

    harness.model.on_chat = hold
    results = []
    first = threading.Thread(target=lambda: results.append(serve(dispatcher, task='tidy', goal_id='a')))
    first.start()
    assert reached.wait(10.0)

    def on_event(event):
        events.append(event)
        release.set()

    second = serve(dispatcher, on_event, task='tidy', goal_id='b')
    first.join(10.0)
    assert [results[0].status, second.status] == [Status.FINISHED] * 2
    assert (events[0].phase, events[0].text) == (Phase.WAITING, 'for tidy')


def test_closing_cancels_everything(dispatcher):
    goal = Goal(goal_id='g', task='tidy')
    dispatcher.queue.add(goal)
    dispatcher.queue.cancel_all()
    assert dispatcher.serve(goal).status is Status.CANCELLED


def test_a_verdict_and_a_goodbye_are_typed_and_not_for_the_model(harness, people):
    dispatcher = harness.dispatcher(people, max_goals=3)
    harness.model.answers = ['<say(Petrel.)>', '<say(Who are you?)>']
    serve(dispatcher, text='What is my boat called?', goal_id='a')
    rated = serve(dispatcher, text='/feedback good', goal_id='b')
    assert (rated.status, rated.said) == (Status.FINISHED, 'Kept, for what I said: good: Petrel.')
    assert serve(dispatcher, text='/bye', goal_id='c').status is Status.FINISHED
    assert len(people.ended) == 1
    serve(dispatcher, text='Who am I?', goal_id='d')
    assert len(harness.model.asked) == 2
    assert len(harness.model.asked[1]) == 2
    first, second = (said.conversation for said in people.turns)
    assert first == people.ended[0] != second


def test_an_answer_is_an_event_sentence_by_sentence_and_so_is_what_it_rests_on(harness, people):
    people._add('Ana', 'My boat is called Petrel.', 'Ana')
    dispatcher = harness.dispatcher(people, max_goals=3)
    harness.model.answers = ['<say(Your boat is called Petrel. Nice.)>']
    events = []
    result = serve(dispatcher, events.append, text='What is my boat?', person='Ana', source='cli')
    assert [event.text for event in events if event.phase is Phase.SAYING] == ['Your boat is called Petrel.', 'Nice.']
    assert [event.text for event in events if event.phase is Phase.RECALLED] == ['said:1 (Ana, 2026-11-20 10:00)']
    assert (result.said, result.spoken) == ('Your boat is called Petrel. Nice.', True)


def test_a_stop_does_not_wait_for_memory(harness, people, monkeypatch):
    happened = []
    dispatcher = harness.dispatcher(people)
    monkeypatch.setattr(dispatcher.queue, 'cancel_task', lambda task, but: happened.append('stopped') or ())
    monkeypatch.setattr(people, 'record_turn', lambda turn: happened.append('recorded'))
    harness.model.answers = ['<stop_task(tidy)>']
    serve(dispatcher, text='stop tidying', person='Ana', source='cli')
    assert happened == ['stopped', 'recorded']


def test_what_stands_already_when_a_task_is_begun_anew_was_done_before_and_not_now(dispatcher, harness):
    first = serve(dispatcher, task='tidy')
    known = harness.world.tasks
    harness.world.done = lambda: ()
    harness.world.tasks = lambda: tuple(replace(item, done_before=first.actions_done) for item in known())
    again = serve(dispatcher, task='tidy', restart=True, goal_id='h')
    assert (again.status, again.actions_done, again.done_before) == (Status.FINISHED, (), first.actions_done)
    assert again.said == 'There was nothing left to do for tidy: what was done before is still so.'
