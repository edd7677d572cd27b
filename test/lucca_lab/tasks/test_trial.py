"""Trials of the paper's modes on the stack's own classes."""

import json
from dataclasses import replace
from types import SimpleNamespace

import pytest

from coordinator_node.interfaces import TaskResult
from lucca_core.protocol.goals import Status
from lucca_lab.tasks import models, trial
from lucca_lab.tasks.ablations import worker_config
from lucca_lab.tasks.paper import TASKS, load_paper
from lucca_lab.tasks.session import TaskSession, coordinator_config
from lucca_lab.tasks.trial import LaidTask, run_trial
from lucca_lab.tasks.trial_runner import run_one
from lucca_llm.model_spec import make_model
from lucca_llm.wrapper import ModelWrapper


def rates(record):
    names = ('success', 'raw_success', 'task_retention', 'environment_retention')
    return {tuple(item[name] for name in names) for item in record['tasks']}


@pytest.mark.parametrize('mode', ['standalone', 'consecutive', 'intervened'])
@pytest.mark.parametrize('memory', [False, True])
def test_in_a_wide_window_everything_comes_out_right(make_spec, mode, memory):
    record = run_trial(make_spec(mode, memory, tasks=TASKS if mode != 'standalone' else ('sorting',)))
    assert rates(record) == {(True, True, 1.0, 1.0)}
    assert record['ungated_actions'] == []
    assert record['calls_cut'] == 0


def test_both_models_are_held_to_the_longest_answer(make_spec):
    spec = make_spec(answer_tokens=48)
    assert coordinator_config(spec).answer_tokens == worker_config(spec).answer_tokens == 48
    with pytest.raises(ValueError, match='answer_tokens must be positive, got 0'):
        make_spec(answer_tokens=0)


@pytest.mark.parametrize('mode', ['consecutive', 'intervened'])
def test_in_a_window_that_only_holds_the_base_prompt_memory_makes_the_difference(make_spec, mode):
    assert rates(run_trial(make_spec(mode, True, context_tokens=1024))) == {(True, True, 1.0, 1.0)}
    plain = run_trial(make_spec(mode, False, context_tokens=1024))
    assert not any(item['success'] for item in plain['tasks'])


def test_without_memory_the_instruction_leaves_the_window_and_the_transcript_shows_it(make_spec):
    record = run_trial(make_spec('consecutive', False, context_tokens=2048))
    done = [item['success'] for item in record['tasks']]
    assert done[0]
    assert not done[-1]
    calls = record['transcript']
    lost = next(number for number, call in enumerate(calls) if call['dropped'])
    assert calls[lost - 1]['tokens'] + 250 > 2048
    assert '# Tasks' in calls[0]['first']
    assert 'what the task asks for is not in what I was sent' in calls[lost]['answered']
    assert all('# Tasks' not in call['asked'] for call in calls)


def test_an_overflow_that_is_refused_ends_the_task_with_the_reason(make_spec):
    record = run_trial(make_spec('consecutive', False, context_tokens=2048, overflow='error'))
    assert 'the context window has 2048' in record['tasks'][-1]['reason']
    assert record['tasks'][0]['success']


def test_a_base_prompt_that_the_server_keeps_is_not_lost(make_spec):
    record = run_trial(make_spec('consecutive', False, context_tokens=2048, base_role='system'))
    assert all(item['success'] for item in record['tasks'])
    assert record['calls_cut'] > 0


def test_the_same_spec_gives_the_same_bytes_and_another_index_another_table(make_spec):
    spec = make_spec('standalone', False, ('tower',), faults='mixed', fault_rate=0.3)
    assert run_one(spec) == run_one(spec)
    asked = {
        run_trial(make_spec('standalone', False, ('tower',), index=index))['transcript'][0]['asked']
        for index in range(4)
    }
    assert len(asked) > 1


def test_with_and_without_memory_a_trial_has_the_same_table(make_spec):
    one, other = make_spec(memory=True), make_spec(memory=False, context_tokens=1024)
    assert one.chance('objects of tower').random() == other.chance('objects of tower').random()
    assert one.fault_seed('worker') != other.fault_seed('worker')


def test_without_safeguards_the_first_wrong_answer_ends_the_task(make_spec):
    record = run_trial(
        make_spec('standalone', False, ('sorting',), faults='malformed', fault_rate=1.0, safeguards=False)
    )
    [item] = record['tasks']
    assert (item['status'], item['refusals'], item['success'], item['performed']) == ('failed', 1, False, [])


def test_what_was_mended_is_a_success_but_no_raw_one(make_spec):
    record = run_trial(make_spec(faults='several_actions', second_opinion=True))
    mended = [item for item in record['tasks'] if item['refusals']]
    assert mended
    assert all(item['success'] and not item['raw_success'] for item in mended)


def test_nothing_outside_the_snapshot_or_the_task_is_done_under_heavy_faults(make_spec):
    for index in range(2):
        record = run_trial(make_spec('intervened', True, index=index, faults='mixed', fault_rate=0.5))
        assert record['ungated_actions'] == []


def test_questions_at_the_end_of_a_session_are_answered_from_memory_only(make_spec):
    remembered = run_trial(make_spec('consecutive', True, context_tokens=2048, base_role='system', ask_late=True))
    plain = run_trial(make_spec('consecutive', False, context_tokens=2048, base_role='system', ask_late=True))
    assert remembered['tasks'][0]['task_retention'] == 1.0
    assert plain['tasks'][0]['task_retention'] == 0.0


@pytest.mark.parametrize(
    ('ablation', 'complete'),
    [('working memory only', False), ('declarative memory only', True), ('exact log reading', True)],
)
def test_without_the_log_nobody_knows_what_was_pointed_at(make_spec, ablation, complete):
    record = run_trial(make_spec('standalone', True, ('pointing',), ablation=ablation))
    assert record['tasks'][0]['success'] is complete


def test_a_slip_is_seen_and_mended_by_verification(make_spec):
    verified = run_trial(make_spec('standalone', True, ('pointing',), slips=0.25))
    trusting = run_trial(make_spec('standalone', True, ('pointing',), slips=0.25, ablation='no verification'))
    assert verified['tasks'][0]['success']
    assert not trusting['tasks'][0]['success']


def test_a_recorded_trial_replays_byte_for_byte(make_spec, tmp_path):
    recorded = run_one(make_spec('standalone', True, ('recipe',), record=str(tmp_path), faults='mixed', fault_rate=0.2))
    replayed = run_one(make_spec('standalone', True, ('recipe',), replay=str(tmp_path)))
    assert replayed == recorded
    assert len(list(tmp_path.iterdir())) == 2


def test_a_trial_can_be_read_back_from_its_line(make_spec):
    record = json.loads(run_one(make_spec('standalone', False, ('recipe',))))
    assert record['tasks'][0]['performed'] == sorted(
        record['tasks'][0]['performed'], key=record['tasks'][0]['performed'].index
    )
    assert len(load_paper().objects['recipe']) == 6


def test_the_models_of_a_trial_are_closed_with_it(make_spec, monkeypatch):
    closed = []

    class Connected(ModelWrapper):
        def chat(self, *asked, **options):
            assert not closed
            return self._model.chat(*asked, **options)

        def close(self):
            closed.append(self)

    monkeypatch.setattr(models, 'make_model', lambda name: Connected(make_model(name)))
    run_trial(make_spec('standalone', False, ('tower',), faults='mixed'))
    assert len(closed) == 2


def test_a_model_that_fails_the_same_way_in_a_state_is_asked_in_other_ways(make_spec):
    # Trial 3 of seed 1 holds a state in which nothing that is proposed fits in the eyes of the second opinion.
    faults = {'faults': 'state_correlated', 'second_opinion': True}
    spec = make_spec('consecutive', True, index=3, **faults)
    stuck = run_trial(replace(spec, setting=replace(spec.setting, deliberate=False)))
    assert [item['reason'].startswith('the model gave the same wrong answer') for item in stuck['tasks']].count(True)
    record = run_trial(spec)
    assert [(item['success'], item['asked_person']) for item in record['tasks']] == [(True, 0)] * 5
    assert record['ungated_actions'] == []


def test_what_a_person_would_have_been_asked_is_not_done(make_spec, monkeypatch):
    monkeypatch.setattr(trial.TaskSession, 'run', _asking(trial.TaskSession.run))
    [item] = run_trial(make_spec('standalone', True, tasks=('sorting',)))['tasks']
    assert sorted(item['performed']) == sorted(item['required'])
    assert (item['success'], item['asked_person']) == (False, 1)


def _asking(run):
    return lambda *args, **names: replace(run(*args, **names), to_confirm='give(pear)')


@pytest.mark.parametrize(('safeguards', 'rounds'), [(True, 2), (False, 1)])
def test_without_safeguards_a_task_that_failed_in_its_first_round_gets_no_second(safeguards, rounds, make_spec):
    asked = []

    def fail(task, max_actions):
        asked.append(task)
        return TaskResult(status=Status.FAILED, task=task)

    session = SimpleNamespace(
        spec=make_spec('intervened', True, safeguards=safeguards), run=fail, memory=SimpleNamespace(corrections=0)
    )
    laid = LaidTask(session, SimpleNamespace(name='sorting'), None, None)
    laid.run(max_actions=2)
    laid.run()
    assert asked == ['sorting'] * rounds


def test_without_safeguards_a_refused_first_round_is_not_forgiven(make_spec):
    tasks, actions = trial.known()
    with TaskSession(make_spec('intervened', True, ('sorting',), safeguards=False), tasks, actions) as session:
        item = trial.lay_task(session, tasks['sorting'])
        item.results.append(TaskResult(status=Status.REFUSED, task='sorting'))
        item.run()
        assert len(item.results) == 1
