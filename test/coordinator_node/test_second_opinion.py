"""The worker's second opinion on actions and ends."""

from lucca_core.protocol.goals import Status
from lucca_core.protocol.retrieved import Review

DECLARATIVE, WORKING = '<retrieve_declarative_memory(tidy)>', '<retrieve_working_memory(tidy)>'
REMEMBER = [DECLARATIVE, WORKING]
ASKED = {'second_opinion': True}


def test_without_the_setting_nobody_is_asked(harness):
    assert harness.run().status is Status.FINISHED
    assert harness.world.reviewed == []


def test_every_action_and_the_end_are_looked_at_twice(harness):
    result = harness.run(settings=ASKED)
    assert result.status is Status.FINISHED
    done = [f'<move_to_box_1({name})>' for name in harness.world.names]
    assert harness.world.reviewed == [*done, '<finish_task(tidy)>']
    assert result.worker.calls == 2 * 4 + 4


def test_what_does_not_fit_is_not_done_and_working_memory_is_made_anew(harness):
    harness.world.opinions = [Review(fits=False)]
    harness.model.answers = [*REMEMBER, '<move_to_box_1(apple)>', WORKING, '<move_to_box_1(pear)>']
    result = harness.run(settings=ASKED, max_actions=1)
    assert harness.world.boxed == ['pear']
    assert result.refusals == 1
    told = harness.model.asked[3][-1].content
    assert 'move_to_box_1(apple) does not fit the task' in told
    assert 'Working memory of tidy\nnot retrieved' in told


def test_an_end_that_does_not_fit_is_no_end(harness):
    harness.world.boxed[:] = harness.world.names
    harness.world.opinions = [Review(fits=False)]
    result = harness.run(settings=ASKED)
    assert (result.status, result.refusals) == (Status.FINISHED, 1)
    assert harness.world.reviewed == ['<finish_task(tidy)>'] * 2


def test_without_memory_there_is_no_worker_to_ask(harness):
    harness.model.answers = ['<move_to_box_1(apple)>', '<finish_task(tidy)>']
    harness.run(settings={'memory': False, **ASKED})
    assert harness.world.reviewed == []


def test_a_model_that_gives_up_on_a_misread_memory_reads_it_again(harness):
    harness.model.answers = [*REMEMBER, '<cannot_do(what?)>', WORKING, '<move_to_box_1(pear)>']
    harness.run(settings=ASKED, max_actions=1)
    assert harness.world.boxed == ['pear']
