import statistics
from dataclasses import replace

import pytest
from examples import examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from symbolic_lab import ACTIONS, CONTAINERS

from coordinator_node.goals.goal_dispatcher import GoalDispatcher
from coordinator_node.interfaces import Goal, never
from coordinator_node.model_caller import ModelCaller
from coordinator_node.talk.agent import Agent
from coordinator_node.waits import Waits
from lucca_core.codes import ReasonCode
from lucca_core.errors import StackError
from lucca_core.protocol.actions import ActionRequest
from lucca_core.protocol.goals import Phase, Status
from lucca_lab.symbolic_table import Failure
from lucca_llm.rules.rule_based_model import RuleBasedModel
from lucca_memory.procedural import TaskSpec, load_tasks

SIX_FRUITY = ('apple (red)', 'banana (yellow)', 'can (red)', 'lemon (yellow)', 'orange (orange)', 'pear (green)')
CUBES = tuple(f'{colour} cube ({colour})' for colour in ('red', 'green', 'blue', 'yellow', 'black', 'white'))
SORTING = ('apple (red)', 'banana (yellow)', 'cup (blue)', 'bowl (green)', 'baseball (white)', 'pear (green)')
WANTED = {
    'sorting': (
        SORTING,
        {
            'move_to_box_1(apple)',
            'move_to_box_1(banana)',
            'move_to_box_1(pear)',
            'move_to_box_2(cup)',
            'move_to_box_2(bowl)',
        },
    ),
    'arrangement': (SIX_FRUITY, {f'place_in_bowl({name})' for name in ('apple', 'banana', 'lemon', 'orange', 'pear')}),
    'pointing': (SIX_FRUITY, {f'point({name})' for name in ('banana', 'lemon', 'apple', 'can')}),
    'recipe': (
        ('apple (red)', 'banana (yellow)', 'can (red)', 'bowl (blue)', 'jello (magenta)', 'pear (green)'),
        {'give(bowl)', 'give(jello)', 'give(banana)'},
    ),
    'tower': (CUBES, {f'put_on_tower({colour} cube)' for colour in ('red', 'green', 'blue', 'yellow')}),
}


def bare(actions):
    return [action.strip('<>') for action in actions]


@pytest.mark.parametrize('task', WANTED)
def test_each_task_is_done_right_and_completely(make_lab, task):
    objects, wanted = WANTED[task]
    lab = make_lab()
    table = lab.lay(*objects)
    result = lab.run(task)
    assert result.status is Status.FINISHED
    assert set(bare(table.performed)) == wanted
    assert len(table.performed) == len(wanted)
    assert result.repeated == 0
    assert result.refusals == 0


@pytest.mark.parametrize('task', WANTED)
@pytest.mark.parametrize('restart', [False, True])
@pytest.mark.parametrize('correct', [True, False], ids=['corrected', 'raw'])
def test_a_task_interrupted_at_half_is_resumed_without_repeating_or_missing_anything(make_lab, task, restart, correct):
    objects, wanted = WANTED[task]
    other = 'tower' if task != 'tower' else 'arrangement'
    lab = make_lab(correct=correct)
    table = lab.lay(*dict.fromkeys((*objects, *WANTED[other][0])))
    half, arrived = len(wanted) // 2, []

    def on_event(event):
        if event.phase is Phase.ACTING and len(event.actions_done) == half - 1:
            arrived.append(True)

    first = lab.run(task, preempted=lambda: bool(arrived), on_event=on_event)
    assert (first.status, len(first.actions_done)) == (Status.SUSPENDED, half)
    if restart:
        lab.restart()
    assert lab.run(other).status is Status.FINISHED
    last = lab.run(task)
    assert last.status is Status.FINISHED
    assert last.repeated == 0
    assert len(table.performed) == len(set(table.performed))
    assert sorted(last.actions_done) == sorted(action for action in table.performed if action in last.actions_done)


@pytest.mark.parametrize('task', WANTED)
def test_without_correction_the_embedded_reasoner_reads_everything_right(make_lab, task):
    objects, wanted = WANTED[task]
    lab = make_lab(correct=False)
    table = lab.lay(*dict.fromkeys((*objects, *(item for listed, _ in WANTED.values() for item in listed))))
    misread = []
    for name in ('declarative', 'working'):
        build = getattr(lab.memory, name)

        def counted(task, snapshot, build=build, **options):
            found = build(task, snapshot, **options)
            misread.append(found.corrections)
            return found

        setattr(lab.memory, name, counted)
    first = lab.run(task, max_actions=len(wanted) // 2)
    assert (first.status, len(first.actions_done)) == (Status.SUSPENDED, len(wanted) // 2)
    last = lab.run(task)
    assert (last.status, last.repeated, last.refusals) == (Status.FINISHED, 0, 0)
    assert wanted <= set(bare(table.performed))
    assert len(table.performed) == len(set(table.performed))
    assert len(misread) > 2 * len(wanted)
    assert not any(misread)


def test_words_of_tasks_mean_nothing_to_the_stack(make_lab):
    tasks = {
        f'blorp {number}': replace(spec, name=f'blorp {number}')
        for number, spec in enumerate(load_tasks(actions=ACTIONS).values())
    }
    lab = make_lab(tasks)
    for number, (objects, wanted) in enumerate(WANTED.values()):
        table = lab.lay(*objects)
        assert lab.run(f'blorp {number}').status is Status.FINISHED
        assert set(bare(table.performed)) == wanted


def dispatcher_of(lab):
    waits = Waits(lab.clock, lab.clock.sleep)
    agent = Agent(ModelCaller(lab.model, lab.config, waits), lab.memory, lab.config, waits=waits)
    return GoalDispatcher(lab.parts(), agent)


def test_a_described_task_is_taught_and_done(make_lab):
    lab = make_lab()
    table = lab.lay('can (red)', 'apple (red)', 'pear (green)', 'cup (blue)', 'can (green)')
    dispatcher = dispatcher_of(lab)
    goal = Goal(goal_id='g', text='put the cans in box 1 and every red fruit in the bowl')
    dispatcher.queue.add(goal)
    result = dispatcher.serve(goal)
    assert result.status is Status.FINISHED, result
    contents = table.contents()
    assert set(contents['box 1']) == {'can', 'can 2'}
    assert set(contents['bowl']) == {'apple'}


def test_what_cannot_be_done_is_said_and_nothing_moves(make_lab):
    lab = make_lab()
    table = lab.lay('can (red)', 'apple (red)')
    lab.memory.teach('elephants', 'Put the elephant in box 1.')
    result = lab.run('elephants')
    assert result.status is Status.REFUSED
    assert 'elephant' in result.reason
    assert table.performed == []


@pytest.mark.parametrize(
    'text', ['put the pineapple and the apple in box 1', 'put the apple in box 1 and paint the can', 'fly to the moon']
)
def test_a_wish_that_cannot_be_met_in_full_is_refused_and_nothing_moves(make_lab, text):
    lab = make_lab()
    table = lab.lay('can (red)', 'apple (red)')
    dispatcher = dispatcher_of(lab)
    goal = Goal(goal_id='g', text=text)
    dispatcher.queue.add(goal)
    result = dispatcher.serve(goal)
    assert result.status is Status.REFUSED, result
    assert result.said.startswith('I c')
    assert table.performed == []


def test_prompts_stay_flat_with_memory_while_the_whole_dialogue_grows(make_lab):
    nouns = ('apple', 'banana', 'pear', 'lemon', 'orange', 'plum', 'peach', 'cherry', 'mango', 'kiwi')
    fruit = [f'{noun} (green)' for noun in nouns for _ in range(2)]
    figures = {}
    for memory in (True, False):
        lab = make_lab(memory=memory, max_goal_tokens=10_000_000)
        lab.model = RuleBasedModel(context_tokens=100_000)
        lab.restart()
        lab.lay(*fruit)
        result = lab.run('arrangement', max_actions=20)
        assert len(result.prompt_tokens) == 20, result
        tokens = result.prompt_tokens
        figures[memory] = statistics.median(tokens[15:20]) / statistics.median(tokens[1:5])
    assert figures[True] <= 1.1
    assert figures[False] > 1.5


def test_an_object_put_back_by_somebody_is_done_again(make_lab):
    lab = make_lab()
    table = lab.lay(*SORTING)
    lab.run('sorting', max_actions=3)
    moved = bare(table.performed)[0].split('(')[1].rstrip(')')
    table.put(moved)
    result = lab.run('sorting')
    assert result.status is Status.FINISHED
    assert result.repeated == 0
    assert set(bare(table.performed)) == WANTED['sorting'][1]
    assert len(table.performed) == 6


def test_the_gate_and_the_log_are_the_real_ones(make_lab):
    lab = make_lab()
    table = lab.lay('pear (green)')
    request = ActionRequest(
        text='<move_to_box_1(pear)>', task='sorting', allowed_actions=('move_to_box_2',), snapshot=table.snapshot()
    )
    assert table.execute(request, cancelled=never).code is ReasonCode.NOT_ALLOWED_FOR_TASK
    request = replace(request, allowed_actions=('move_to_box_1',))
    report = table.execute(request, cancelled=never)
    assert (report.code, report.intent_id, report.outcome_id) == (ReasonCode.DONE, 1, 2)
    assert table.contents()['box 1'] == ('pear',)
    assert table.execute(replace(request, snapshot=table.snapshot()), cancelled=never).code is ReasonCode.PRECONDITION


@settings(max_examples=examples(25), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_whatever_dies_at_whatever_instant_nothing_is_repeated_or_missed(make_lab, data):
    """Deaths of the action node before and after its effect, misses, and goals that end and are given again."""
    task = data.draw(st.sampled_from(['sorting', 'arrangement', 'tower', 'recipe']))
    failures = data.draw(
        st.dictionaries(
            st.integers(0, 8),
            st.sampled_from(
                [
                    Failure(None, effect=True),
                    Failure(None, effect=False),
                    Failure(ReasonCode.EFFECT_NOT_SEEN),
                    Failure(ReasonCode.GRASP_FAILED),
                ]
            ),
            max_size=4,
        )
    )
    stops = data.draw(st.lists(st.integers(1, 60), max_size=3))
    objects, wanted = WANTED[task]
    lab = make_lab()
    table = lab.lay(*objects, inject=lambda number, call: failures.get(number))
    for stop in stops:
        asked = [0]

        def cancelled(asked=asked, stop=stop):
            asked[0] += 1
            return asked[0] >= stop

        lab.run(task, cancelled=cancelled)
        lab.restart()
    result = lab.run(task)
    if result.status is not Status.FINISHED:
        # Three misses of one action end a goal; a new one goes on from there.
        assert 'failed 3 times' in result.reason or 'cannot' in result.said
        result = lab.run(task)
    assert result.status is Status.FINISHED
    assert sorted(bare(table.performed)) == sorted(wanted)
    assert lab.log(task).repeated == 0
    assert lab.log(task).open_intent is None


def test_what_cannot_be_reached_is_told_after_the_rest_is_done(make_lab):
    lab, blocked = make_lab(), {'apple', 'fork'}
    lab.lay(
        'apple (red)', 'pear (green)', 'fork (grey)', 'cup (blue)', 'banana (yellow)',
        inject=lambda number, call: Failure(ReasonCode.UNREACHABLE) if call.argument in blocked else None,
    )  # fmt: skip
    result = lab.run('sorting')
    assert result.status is Status.FAILED
    assert sorted(bare(result.actions_done)) == ['move_to_box_1(banana)', 'move_to_box_1(pear)', 'move_to_box_2(cup)']
    assert sorted(result.left) == ['apple', 'fork']
    assert all(f'({name})> was made to fail' in result.said for name in blocked)

    blocked.clear()
    assert lab.run('sorting').status is Status.FINISHED


def test_an_object_whose_way_becomes_free_is_taken_after_the_others(make_lab):
    lab = make_lab()

    def behind_the_cup(number, call):
        in_the_way = 'cup' not in lab.table.contents()['box 2']
        return Failure(ReasonCode.UNREACHABLE) if call.argument == 'apple' and in_the_way else None

    lab.lay('apple (red)', 'pear (green)', 'cup (blue)', inject=behind_the_cup)
    result = lab.run('sorting')
    assert result.status is Status.FINISHED
    assert bare(result.actions_done)[-1] == 'move_to_box_1(apple)'


@pytest.mark.parametrize(
    ('description', 'done'),
    [
        ('Put all cubes on the tower.', ['green', 'blue', 'red']),
        ('Put the red cube, the green cube and the blue cube on the tower.', []),
        ('Put the green cube and the red cube on the tower, then put the blue cube on it.', ['green']),
    ],
)
def test_what_comes_later_waits_for_what_cannot_be_reached_and_the_rest_of_a_step_does_not(make_lab, description, done):
    spec = TaskSpec(name='stacking', description=description, actions=('put_on_tower',))
    lab = make_lab({'stacking': spec})

    def once_others_are_there(number, call):
        free = len(lab.table.contents()['tower']) == len(done) - 1 > 0
        return None if call.argument != 'red cube' or free else Failure(ReasonCode.UNREACHABLE)

    lab.lay('red cube (red)', 'green cube (green)', 'blue cube (blue)', inject=once_others_are_there)
    result = lab.run('stacking')
    assert list(lab.table.contents()['tower']) == [f'{colour} cube' for colour in done]
    assert (result.status is Status.FINISHED) is (len(done) == 3)


def test_a_name_that_is_not_there_is_the_callers_mistake(make_lab):
    table = make_lab().lay('pear (green)')
    with pytest.raises(ValueError, match="no object is named 'apple'"):
        table.put('apple')


def test_a_dying_action_node_leaves_its_intent_open(make_lab):
    lab = make_lab()
    table = lab.lay('pear (green)', inject=lambda number, call: Failure(None, effect=True))
    request = ActionRequest(
        text='<move_to_box_1(pear)>', task='sorting', allowed_actions=('move_to_box_1',), snapshot=table.snapshot()
    )
    with pytest.raises(StackError, match='went away'):
        table.execute(request, cancelled=never)
    found = lab.memory.declarative('sorting', table.snapshot(), cancelled=never)
    assert found.open_intent.action == '<move_to_box_1(pear)>'
    report = table.settle('sorting', found.open_intent, table.snapshot(), cancelled=never)
    assert report.code is ReasonCode.DONE
    assert lab.log('sorting').open_intent is None


@pytest.mark.parametrize(
    ('text', 'reason'),
    [
        ('give me the banana', 'banana is in box 1, I cannot take things out of it'),
        ('put the banana in box 2', 'banana is in box 1, I cannot take things out of it'),
        ('point at the banana', 'banana is in box 1, I cannot take things out of it'),
        ('put the pear in box 1', 'pear is in the bowl, I cannot take things out of it'),
        ('give me the red cube', 'red cube is on the tower, I cannot take things out of it'),
        ('put the cup in box 1', "cup is at the user's side already, I cannot take things from there"),
        ('give me the banana and the apple', 'banana is in box 1, I cannot take things out of it'),
    ],
)
def test_what_lies_where_nothing_is_taken_from_is_said_so_and_nothing_moves(make_lab, text, reason):
    lab = make_lab()
    names = ('can (red)', 'apple (red)', 'banana (yellow)', 'pear (green)', 'red cube', 'green cube', 'cup (blue)')
    table = lab.lay(*names, containers=CONTAINERS)
    for name, place in {
        'banana': 'box 1',
        'pear': 'bowl',
        'red cube': 'tower',
        'green cube': 'tower',
        'cup': "user's side",
    }.items():
        table.put(name, place)
    dispatcher = dispatcher_of(lab)
    goal = Goal(goal_id='g', text=text)
    dispatcher.queue.add(goal)
    result = dispatcher.serve(goal)
    assert (result.status, result.reason) == (Status.REFUSED, reason)
    assert result.said == f'I cannot do that: {reason}'
    assert table.performed == []


def test_everything_into_the_bowl_means_all_but_the_bowl(make_lab):
    lab = make_lab()
    table = lab.lay('can (red)', 'apple (red)', 'bowl (pink)')
    dispatcher = dispatcher_of(lab)
    goal = Goal(goal_id='g', text='put everything in the bowl')
    dispatcher.queue.add(goal)
    result = dispatcher.serve(goal)
    assert result.status is Status.FINISHED, result
    assert set(bare(table.performed)) == {'place_in_bowl(can)', 'place_in_bowl(apple)'}
