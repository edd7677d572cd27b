"""Snapshots, calls and usage."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lucca_core.protocol.actions import ActionCall
from lucca_core.protocol.snapshots import Container, Snapshot, TableObject
from lucca_core.protocol.usage import ModelUsage

names = st.lists(st.text(min_size=1, max_size=8), unique=True, max_size=6)
usages = st.builds(
    ModelUsage,
    model=st.sampled_from(['', 'm']),
    calls=st.integers(0, 99),
    prompt_tokens=st.integers(0, 999),
    completion_tokens=st.integers(0, 999),
    model_s=st.integers(0, 99).map(float),
)


def _object(name, container='table'):
    return TableObject(object_id=f'id {name}', name=name, label=name, container=container)


@given(names)
def test_every_object_is_found_by_its_full_name_and_by_its_id_only(found):
    snapshot = Snapshot(objects=tuple(map(_object, found)))
    for name in found:
        assert snapshot.object_named(name) is snapshot.object_with_id(f'id {name}')
        assert snapshot.object_named(name).name == name
        assert snapshot.object_named(f'{name}!') is None or f'{name}!' in found
    assert list(snapshot) == list(snapshot.objects)


def test_names_in_a_snapshot_are_unique():
    with pytest.raises(ValueError, match=r"must be unique, got \['pear', 'pear'\]"):
        Snapshot(objects=(_object('pear'), _object('pear')))


def test_what_a_container_holds_is_not_on_the_table():
    snapshot = Snapshot(objects=(_object('pear'), _object('cup', 'box 1')), containers=(Container(name='box 1'),))
    assert [item.name for item in snapshot.on_table()] == ['pear']
    assert snapshot.container_named('box 1').name == 'box 1'
    assert snapshot.container_named('box') is None


def test_a_call_is_written_as_the_model_writes_it():
    assert str(ActionCall('give', 'red cube')) == '<give(red cube)>'


@given(usages, usages, usages)
def test_usage_adds_up_in_any_grouping(a, b, c):
    assert (a + b) + c == a + (b + c)
    assert a + ModelUsage() == a
