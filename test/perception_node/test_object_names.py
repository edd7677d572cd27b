"""ObjectNames are unique, and a number sticks to its object."""

from hypothesis import given
from hypothesis import strategies as st

from perception_node.identity.object_names import ObjectNames

bases = st.sampled_from(['pear', 'red cube', 'pear 2', 'pear 2 2', 'can'])


@given(st.lists(st.tuples(st.integers(0, 8), bases), max_size=40))
def test_no_two_objects_ever_share_a_name(asked):
    names, current = ObjectNames(), {}
    for number, base in asked:
        object_id = f'o{number}'
        current[object_id] = names.name(object_id, base)
        assert len(set(current.values())) == len(current)


def test_the_second_of_a_kind_gets_a_number():
    names = ObjectNames()
    assert [names.name(item, 'pear') for item in ('a', 'b', 'c')] == ['pear', 'pear 2', 'pear 3']


def test_a_number_stays_when_the_first_one_goes():
    names = ObjectNames()
    names.name('a', 'pear')
    names.name('b', 'pear')
    names.forget('a')
    assert names.name('b', 'pear') == 'pear 2'
    assert names.name('c', 'pear') == 'pear'


def test_a_name_changes_with_what_the_object_is():
    names = ObjectNames()
    names.name('a', 'lemon')
    assert names.name('a', 'banana') == 'banana'
    assert names.name('b', 'lemon') == 'lemon'
