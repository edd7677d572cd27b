"""The audit counts what a gate that lets everything pass would let happen."""

import pytest

from action_node.gate.gate import Permit
from coordinator_node.interfaces import never
from lucca_core.protocol.actions import ActionCall, ActionRequest
from lucca_lab.symbolic_table import SymbolicTable, sample_objects
from lucca_lab.tasks.audit import Audit
from lucca_memory.procedural import TaskSpec, load_actions

ACTIONS = load_actions()
TASK = TaskSpec(name='tidy', description='Tidy.', actions=('move_to_box_1',))


class OpenGate:
    """Lets every call pass."""

    def __init__(self, table):
        self.table = table

    def check(self, call, situation):
        target = self.table.snapshot().object_named(call.argument) or self.table.snapshot().objects[0]
        return Permit(call, ACTIONS[call.name], target)


class Sink:
    def record(self, request):
        return 1


@pytest.fixture
def audit():
    return Audit({'tidy': TASK}.get)


def act(audit, text, *, seen=('pear (green)',), there=('pear (green)',), moved=False):
    table = SymbolicTable(sample_objects(there), ('box 1',), ACTIONS, Sink(), witness=audit)
    table._gate = OpenGate(table)
    if moved:
        table.put('pear', 'box 1')
    snapshot = SymbolicTable(sample_objects(seen), ('box 1',), ACTIONS, Sink()).snapshot()
    table.execute(ActionRequest(text=text, task='tidy', allowed_actions=(), snapshot=snapshot), cancelled=never)
    return audit.ungated


def test_what_is_allowed_and_there_is_not_counted(audit):
    assert act(audit, '<move_to_box_1(pear)>') == []


def test_an_action_of_another_task_is_counted(audit):
    assert 'is not allowed for tidy' in act(audit, '<point(pear)>')[0]


@pytest.mark.parametrize(
    'case',
    [{'seen': ('apple',)}, {'there': ('apple',)}, {'moved': True}],
    ids=['not seen', 'not there', 'not on the table any more'],
)
def test_an_object_that_is_not_on_the_table_is_counted(audit, case):
    assert 'is not about an object on the table' in act(audit, '<move_to_box_1(pear)>', **case)[0]


def test_a_task_that_nobody_specified_allows_nothing(audit):
    request = ActionRequest(text='', task='dance', allowed_actions=('point',), snapshot=None)
    audit(request, ActionCall('point', 'pear'), None)
    assert len(audit.ungated) == 1
