"""Laws of names: said as a whole, the longest first, and misspelt only where little else is so near."""

from hypothesis import given
from hypothesis import strategies as st

from lucca_memory.retrieval.naming import DocumentNames, edits

WORDS = st.text('abc', min_size=1, max_size=6)


def said(question, *names):
    return sorted(DocumentNames((row, [name]) for row, name in enumerate(names)).said_in(question))


def test_a_name_is_said_as_a_whole_and_in_any_inflection():
    assert said('who waters the tomato plants?', 'tomato plant', 'plant pot', 'potato') == [0]
    assert said('the plants beside the tomato', 'tomato plant') == []


def test_within_a_longer_name_a_shorter_one_is_not_said():
    names = ('garden shed key', 'garden')
    assert said('Where is the garden shed key?', *names) == [0]
    assert said('Is the garden shed key in the garden?', *names) == [0, 1]


def test_a_misspelt_name_is_taken_only_if_no_other_is_said_and_it_is_long_enough():
    assert said('where is the thremostat', 'thermostat', 'cellar') == [0]
    assert said('thremostat in the cellar', 'thermostat', 'cellar') == [1]
    assert said('a rat', 'cat') == []
    assert said('a cut', 'cat') == []
    assert said('the bellar', 'cellar') == []


def test_an_index_without_names_names_nothing():
    assert DocumentNames().said_in('anything') == {}
    assert DocumentNames([(3, ['...'])]).as_json() == []


def test_names_survive_their_file():
    names = DocumentNames([(4, ['Wi-Fi', 'WLAN']), (9, ['attic'])])
    again = DocumentNames((row, given) for row, given in names.as_json())
    assert again.said_in('wlan in the attic') == {4: 1, 9: 1} == names.said_in('wlan in the attic')


@given(WORDS, WORDS)
def test_edits_are_a_distance_among_words_with_one_beginning(a, b):
    a, b = 'x' + a, 'x' + b
    assert edits(a, b) == edits(b, a)
    assert (edits(a, b) == 0) == (a == b)
    assert abs(len(a) - len(b)) <= edits(a, b) <= max(len(a), len(b))


def test_a_swap_of_neighbours_is_one_edit():
    assert edits('recieve', 'receive') == 1
