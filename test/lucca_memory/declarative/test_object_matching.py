"""Objects are matched by id, else by label and place, else not at all."""

from hypothesis import given
from hypothesis import strategies as st

from lucca_memory.declarative.entry import SeenObject
from lucca_memory.declarative.object_matching import aliases, match


def thing(object_id: str, label: str, x_m: float = 0.0, container: str = 'table') -> SeenObject:
    return SeenObject(object_id=object_id, name=label, label=label, container=container, position_m=(x_m, 0.0, 0.8))


def test_an_id_is_enough_wherever_the_object_went_and_whatever_its_label_became() -> None:
    known = [thing('o1', 'pear', 0.1), thing('o2', 'cup', 0.3), thing('o3', 'lemon', 0.5)]
    seen = [thing('o1', 'pear', 0.9), thing('o2', 'can', 0.3), thing('o3', 'banana', container='bowl')]
    found = match(known, seen, {})
    assert found.known_ids == {'o1': 'o1', 'o2': 'o2', 'o3': 'o3'}
    assert found.uncertain == ()


def test_after_a_restart_label_and_place_tell() -> None:
    known = [thing('o1', 'pear', 0.1), thing('o2', 'cup', 0.3), thing('o3', 'apple', container='box 1')]
    seen = [thing('n1', 'cup', 0.31), thing('n2', 'pear', 0.1), thing('n3', 'apple', container='box 1')]
    assert match(known, seen, {}).known_ids == {'n1': 'o2', 'n2': 'o1', 'n3': 'o3'}


def test_ids_that_a_restart_gave_to_other_objects_do_not_deceive() -> None:
    known = [thing('o1', 'pear', 0.1), thing('o2', 'cup', 0.3)]
    seen = [thing('o1', 'cup', 0.3), thing('o2', 'pear', 0.1)]
    assert match(known, seen, {}).known_ids == {'o1': 'o2', 'o2': 'o1'}


def test_an_object_put_where_its_like_stood_is_not_taken_for_it() -> None:
    known = [thing('o1', 'pear', 0.1)]
    seen = [thing('o1', 'pear', container='box 1'), thing('o9', 'pear', 0.1)]
    found = match(known, seen, {})
    assert found.known_ids == {'o1': 'o1'}
    assert found.uncertain == ()


def test_an_alias_is_as_good_as_an_id() -> None:
    found = match([thing('o1', 'pear', 0.1)], [thing('n7', 'pear', 0.6)], {'n7': 'o1'})
    assert found.known_ids == {'n7': 'o1'}


def test_colour_in_the_name_tells_like_labels_apart() -> None:
    known = [thing('o1', 'red cube', container='tower'), thing('o2', 'blue cube 2', container='tower')]
    seen = [thing('n1', 'blue cube', container='tower'), thing('n2', 'red cube 2', container='tower')]
    assert match(known, seen, {}).known_ids == {'n1': 'o2', 'n2': 'o1'}


def test_two_candidates_at_one_place_are_not_guessed_between() -> None:
    found = match([thing('o1', 'lemon', 0.10), thing('o2', 'lemon', 0.12)], [thing('n1', 'lemon', 0.11)], {})
    assert found.known_ids == {}
    assert found.uncertain == ('n1',)


def test_an_object_that_moved_while_perception_was_away_is_uncertain() -> None:
    found = match([thing('o1', 'lemon', 0.1)], [thing('n1', 'lemon', 0.5)], {})
    assert found.known_ids == {}
    assert found.uncertain == ('n1',)


def test_like_objects_in_one_container_are_as_good_as_each_other() -> None:
    known = [thing('o1', 'pear', container='box 1'), thing('o2', 'pear', container='box 1')]
    seen = [thing('n1', 'pear', container='box 1'), thing('n2', 'pear', container='box 1')]
    assert set(match(known, seen, {}).known_ids.values()) == {'o1', 'o2'}


def test_a_new_object_whose_id_is_taken_gets_one_of_its_own() -> None:
    known = [thing('o1', 'pear', 0.1)]
    seen = [thing('o1', 'cup', 0.5), thing('o2', 'can', 0.7)]
    assert aliases(match(known, seen, {}), seen, known, 9) == {'o1': 'o1+9', 'o2': 'o2'}


labels = st.sampled_from(['pear', 'cup'])
places = st.sampled_from(['table', 'box 1'])


def groups(prefix: str) -> st.SearchStrategy[list[SeenObject]]:
    items = st.lists(st.tuples(labels, st.floats(0, 1), places), max_size=5)
    return items.map(lambda rows: [thing(f'{prefix}{n}', *row) for n, row in enumerate(rows)])


@given(groups('o'), st.one_of(groups('o'), groups('n')))
def test_no_known_object_is_matched_twice(known: list[SeenObject], seen: list[SeenObject]) -> None:
    found = match(known, seen, {})
    assert len(set(found.known_ids.values())) == len(found.known_ids)
    assert not set(found.known_ids) & set(found.uncertain)
    given_ids = aliases(found, seen, known, 7)
    assert len(set(given_ids.values())) == len(seen)


@given(groups('o'))
def test_a_table_is_matched_with_itself(known: list[SeenObject]) -> None:
    found = match(known, known, {})
    assert found.known_ids == {item.object_id: item.object_id for item in known}
