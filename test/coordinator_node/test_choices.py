"""The answers that are offered to a model that can weigh them: those that nothing speaks against."""

from coordinator_node.tasks.step import Step
from lucca_core.protocol.actions import ActionCall
from lucca_core.protocol.retrieved import Retrieved
from lucca_core.protocol.snapshots import Snapshot, TableObject

NAMES = ('pear', 'cup')
ACTIONS = ('move_to_box_1', 'point_at')


def step(*, declarative=False, to_do=None, calls=()):
    snapshot = Snapshot(objects=tuple(TableObject(object_id=name, name=name, label=name) for name in NAMES))
    found = Step('tidy', snapshot, snapshot)
    found.declarative = Retrieved(text='') if declarative else None
    found.working = None if to_do is None else Retrieved(text='', to_do=to_do, calls=calls)
    return found


def offered(at, *, attend=True, **options):
    return tuple(map(str, at.unopposed(ACTIONS, NAMES, attend=attend, **options)))


def test_memories_are_retrieved_first_and_in_their_order():
    assert offered(step()) == ('<retrieve_declarative_memory(tidy)>',)
    assert offered(step(declarative=True)) == ('<retrieve_working_memory(tidy)>',)


def test_then_every_action_on_what_is_left_and_no_end():
    assert offered(step(declarative=True, to_do=('cup',))) == ('<move_to_box_1(cup)>', '<point_at(cup)>')


def test_if_the_calls_are_known_only_they_are_offered():
    decided = ('<move_to_box_1(cup)>', '<point_at(pear)>')
    at = step(declarative=True, to_do=('cup', 'pear'), calls=decided)
    assert offered(at) == decided
    objection = at.against(ActionCall('move_to_box_1', 'pear'), attend=True)
    assert objection.startswith('<move_to_box_1(pear)> is not among the calls still to make')
    assert at.against(ActionCall('move_to_box_1', 'pear'), attend=False) == ''


def test_a_call_that_a_person_confirmed_is_offered_though_it_is_not_listed():
    at = step(declarative=True, to_do=('cup',), calls=('<move_to_box_1(cup)>',))
    confirmed = '<point_at(cup)>'
    assert offered(at, confirmed=confirmed) == ('<move_to_box_1(cup)>', confirmed)


def test_without_attention_every_object_in_view_is_offered():
    assert len(offered(step(declarative=True, to_do=('cup',)), attend=False)) == len(ACTIONS) * len(NAMES)


def test_with_nothing_left_the_end_is_offered():
    assert offered(step(declarative=True, to_do=())) == ('<finish_task(tidy)>',)


def test_what_is_offered_is_not_refused():
    for to_do in ((), ('cup',), ('pear', 'cup')):
        at = step(declarative=True, to_do=to_do)
        for call in at.unopposed(ACTIONS, NAMES, attend=True):
            objection = at.against_finishing() if call.name == 'finish_task' else at.against(call, attend=True)
            assert objection == ''


def test_a_goal_offers_its_model_the_choices_of_each_step(harness):
    harness.run()
    assert [options.choices for options in harness.model.options[:3]] == [
        ('<retrieve_declarative_memory(tidy)>',),
        ('<retrieve_working_memory(tidy)>',),
        ('<move_to_box_1(apple)>', '<move_to_box_1(banana)>', '<move_to_box_1(pear)>'),
    ]


def test_without_constraints_nothing_is_offered(harness):
    harness.run(settings={'constrain': False})
    assert {options.choices for options in harness.model.options} == {()}


def test_without_memory_every_call_is_offered_as_nothing_is_known_to_speak_against_any(harness):
    harness.model.answers = ['<finish_task(tidy)>']
    harness.run(settings={'memory': False})
    calls = [f'<move_to_box_1({name})>' for name in harness.world.names]
    assert [options.choices for options in harness.model.options] == [(*calls, '<finish_task(tidy)>')]
