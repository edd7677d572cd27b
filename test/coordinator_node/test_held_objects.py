from coordinator_node.tasks.held_objects import held_on_table
from lucca_core.protocol.snapshots import HAND, Container, Snapshot, TableObject


def test_what_a_hand_still_holds_counts_as_on_the_table():
    held = TableObject(object_id='1', name='pear', label='pear', container=HAND)
    boxed = TableObject(object_id='2', name='apple', label='apple', container='box 1')
    containers = (Container(name='box 1', contents=('apple',)), Container(name=HAND, contents=('pear',)))
    snapshot = Snapshot(stamp_s=4.0, objects=(held, boxed), containers=containers, vocabulary=('pear',))
    view = held_on_table(snapshot)
    assert [item.name for item in view.on_table()] == ['pear']
    assert [item.name for item in view.containers] == ['box 1']
    assert (view.stamp_s, view.vocabulary) == (4.0, ('pear',))


def test_a_snapshot_without_hands_is_left_as_it_is():
    snapshot = Snapshot(objects=(TableObject(object_id='1', name='pear', label='pear'),))
    assert held_on_table(snapshot) is snapshot
