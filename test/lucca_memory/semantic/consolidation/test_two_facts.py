"""No two different facts may become one text: drawn pairs that differ in a single word that matters."""

import string

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from lucca_memory.semantic.consolidation.clause_forms import forms_of
from lucca_memory.semantic.consolidation.sameness import is_one_fact

VALUES = {
    'person': ['Paula', 'Tom', 'Ada Lind', 'Mia Berg', 'Otto Kern', 'my sister', 'Zoë', 'Łukasz'],
    'who': ['Rita', 'Carl Voss', 'Lena Hoff', 'Emil', 'their aunt'],
    'group': ['the choir', 'the harbour club', 'Maple House', 'Kern Motors'],
    'kind': ['red', 'oak', 'small', 'Dutch', 'used'],
    'thing': ['lamp', 'desk', 'bike', 'guitar', 'kettle', 'watch'],
    'things': ['uniforms', 'buses', 'maps', 'chairs', 'tickets'],
    'noun': ['rent', 'deposit', 'fee', 'fine', 'refund', 'discount', 'yearly fee'],
    'event': ['meeting', 'concert', 'exam', 'review', 'delivery', 'start', 'end'],
    'role': ['trainer', 'trainee', 'host', 'teacher', 'employer', 'employee', 'sponsor', 'head'],
    'did': ['sold', 'bought', 'painted', 'repaired', 'hid', 'borrowed', 'returned', 'lost', 'sent'],
    'does': [
        'sells',
        'buys',
        'has',
        'uses',
        'wears',
        'hides',
        'holds',
        'gives',
        'reads',
        'trains',
        'hosts',
        'sponsors',
    ],
    'room': ['cellar', 'library', 'kitchen'],
    'town': ['Bonn', 'Ulm', 'Kiel'],
    'preposition': ['in', 'on', 'under', 'near', 'from', 'to', 'of', 'without'],
    'when': ['before', 'after', 'during', 'until'],
    'meal': ['lunch', 'dinner'],
    'time': ['8:00', '9:30', '7 am', '7 pm'],
    'date': ['3 May', '9 May', '3 June', 'Tuesday', 'Friday'],
    'money': ['20 euros', '30 euros', '20 dollars', '-20 euros', '2.0 euros'],
    'count': ['3', '7', 'thirteen', '30'],
    'code': ['RN-19', 'RN-91', 'KX-4', 'rn-19', 'aB3', 'Ab3'],
    'unit': ['day', 'week', 'month', 'hour'],
    'is': ['is', 'was', 'may be', 'is not', 'was once', 'is never'],
}
WORDINGS = [
    [
        '{person} {did} the {kind} {thing}.',
        'The {kind} {thing} was {did} by {person}.',
        '{person} has {did} the {kind} {thing}.',
    ],
    ['{person} {did} {count} {things}.', '{count} {things} were {did} by {person}.'],
    ['{person} {did} {who} {count} {things} on {date}.', '{count} {things} were {did} to {who} by {person} on {date}.'],
    [
        '{person} {does} {thing} {code}.',
        'The {thing} of {person} {is} {code}.',
        'The {thing} of {person} reads {code}.',
    ],
    ['The {noun} of {group} {is} {money}.', '{group} has a {noun} of {money}.', '{group} {does} a {noun} of {money}.'],
    [
        '{group} {does} {count} {things}.',
        'The {things} of {group} number {count}.',
        'The {things} of {group} are {count}.',
    ],
    [
        'The {event} of {group} {is} on {date}.',
        '{group} {does} its {event} on {date}.',
        'The {event} of {group} comes on {date}.',
    ],
    [
        'The {role} of {group} {is} {who}.',
        '{who} {is} {role} of {group}.',
        '{who} {does} {group}.',
        '{group} is {did} by {who}.',
    ],
    ['{person} shares a {thing} with {who}.', '{who} shares a {thing} with {person}.'],
    ['{person} {is} married to {who}.', '{who} {is} married to {person}.', '{who} and {person} are married.'],
    ['{person} earns {money} a {unit}.', 'Each {unit} {person} earns {money}.', '{person} earns {money} every {unit}.'],
    ['{person} takes {count} pills {when} {meal}.', '{person} takes {count} pills {when} {meal} each {unit}.'],
    ['The {thing} {is} {preposition} the {room}.', '{preposition} the {room} {is} the {thing}.'],
    ['The home of {person} {is} in {town}.', '{person} lives in {town}.', '{person} works in {town}.'],
    ['On {date} {person} {does} the {thing}.', '{person} {does} the {thing} on {date}.'],
    ['I go {preposition} {town} at {time} on {date}.', 'On {date} I go {preposition} {town} at {time}.'],
]

ADDED = [
    'not',
    'never',
    'no',
    'almost',
    'most',
    'two',
    'half',
    'my',
    'your',
    'Paula',
    'before',
    'under',
    'without',
    'red',
]
ADDED += [
    'once',
    'only',
    'maybe',
    'says',
    'would',
    '7',
    '-1',
    'again',
    'except',
    'yesterday',
    'sometimes',
    '$',
    '+',
    '😊',
]


def slots_of(wording: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(wording) if name}


def said(wording: str, values: dict[str, str]) -> str:
    text = wording.format(**values)
    return text[0].upper() + text[1:]


@st.composite
def other_facts(draw):
    """Two wordings of one kind of fact that differ in one value; a deed or verb may also be another in one of them."""
    wordings = draw(st.sampled_from(WORDINGS))
    one, other = draw(st.sampled_from(wordings)), draw(st.sampled_from(wordings))
    values = {name: draw(st.sampled_from(VALUES[name])) for name in slots_of(one) | slots_of(other)}
    changed = draw(st.sampled_from(sorted(slots_of(one) & slots_of(other))))
    return said(one, values), said(
        other, values | {changed: draw(st.sampled_from(VALUES[changed]).filter(values[changed].__ne__))}
    )


@given(other_facts())
def test_another_number_name_day_place_owner_deed_or_unit_is_another_fact(pair):
    assert not is_one_fact(*pair)
    assert not is_one_fact(*reversed(pair))


@st.composite
def texts(draw):
    wording = draw(st.sampled_from([wording for wordings in WORDINGS for wording in wordings]))
    return said(wording, {name: draw(st.sampled_from(VALUES[name])) for name in slots_of(wording)})


@given(
    texts(),
    st.sampled_from(ADDED),
    st.data(),
)
def test_one_more_word_makes_another_fact(text, word, data):
    words = text.split()
    at = data.draw(st.integers(1, len(words) - 1))
    assert not is_one_fact(text, ' '.join([*words[:at], word, *words[at:]]))


@given(texts(), st.data())
def test_one_word_less_makes_another_fact_unless_it_is_an_article(text, data):
    words = text.split()
    at = data.draw(st.integers(0, len(words) - 1))
    assume(words[at].lower() not in ('a', 'an', 'the'))
    assert not is_one_fact(text, ' '.join([*words[:at], *words[at + 1 :]]))


@given(texts(), st.data())
def test_swapped_words_make_another_fact(text, data):
    words = text.rstrip('.').split()
    one = data.draw(st.integers(1, len(words) - 2))
    other = data.draw(st.integers(one + 1, len(words) - 1))
    assume(
        words[one].lower() != words[other].lower() and not {words[one], words[other]} & {'a', 'an', 'the', 'is', 'was'}
    )
    # `Lamp RN-19` and `RN-19 lamp` are one thing.
    assume(other > one + 1 or not {words[one], words[other]} & {*VALUES['code']})
    words[one], words[other] = words[other], words[one]
    assert not is_one_fact(text, ' '.join(words))


@pytest.mark.parametrize(
    'pair',
    [
        line.split(' | ')
        for line in """The dog bit Paula. | Paula bit the dog.
The cat chased the dog. | The dog chased the cat.
Paula is taller than Tom. | Tom is taller than Paula.
The red box holds the blue ball. | The blue box holds the red ball.
The key of the safe is in the drawer. | The key of the drawer is in the safe.
Paula lives in Bonn and Tom lives in Ulm. | Paula lives in Ulm and Tom lives in Bonn.
Paula has 3 cats and 2 dogs. | Paula has 2 cats and 3 dogs.
On Monday I swim and on Friday I run. | On Friday I swim and on Monday I run.
The man with the dog sees the boy. | The man sees the boy with the dog.
Paula came at 8 after the talk at 9. | Paula came at 9 after the talk at 8.
Tom has 20 euros. | Tom pays 20 euros.
Tom earns 20 euros a day. | Tom earns 20 euros.
Paula is in Bonn. | Paula lives in Bonn.
My alarm is at 7 am. | My alarm is at 7 pm.
I moved from Bonn to Ulm. | I moved from Ulm to Bonn.
The meeting is from 8 to 9. | The meeting is from 9 to 8.
My PIN is 1234 and my code is 4321. | My PIN is 4321 and my code is 1234.
The password is abcD12. | The password is ABCD12.
The temperature is -5 degrees. | The temperature is 5 degrees.
The rent is 30 euros. | The rent is 30 dollars.
I know C++. | I know C.
We need a polish knife. | We need a Polish knife.
I will be a nurse. | I am a nurse.
I feel 😊 today. | I feel 😢 today.
The employer of Tom is Ada. | The employee of Tom is Ada.
The love of Paula is Tom. | Tom loves Paula.
The painting of Tom is in Bonn. | Tom paints in Bonn.
The train of Tom is at 8. | Tom trains at 8.
The teacher gives his exam at 8. | The exam of the teacher is at 8.
Ada breaks badge RN-19. | The badge of Ada is RN-19.
The key is in box A. | The key is in the box.
Ada takes vitamin A daily. | Ada takes the vitamin daily.
Tom shared a secret with Ada. | Ada shared a secret with Tom.
Tom shares his food with Ada. | Ada shares his food with Tom.
Ada has desk RN-19. | Ada sits at desk RN-19.
Tom has lamp RN-19. | Tom uses lamp RN-19.
The choir has its exam on 3 May. | The choir holds its exam on 3 May.
The fee is 30 euros? | The fee is 30 euros.
A few people came. | Few people came.
I think that the fee is 30 euros. | The fee is 30 euros.
Paula painted Tom. | Paula was painted by Tom.
The lamp is painted by Paula. | The lamp was painted by Paula.""".splitlines()
    ],
)
def test_the_same_words_in_other_roles_are_two_facts(pair):
    assert not is_one_fact(*pair)
    assert not is_one_fact(*reversed(pair))


@given(texts())
def test_a_text_says_what_it_says(text):
    assert is_one_fact(text, text)
    assert is_one_fact(text, text.rstrip('.'))
    assert is_one_fact(text, f'By the way, {text}')


@pytest.mark.parametrize('word', ['has ', 'is ', 'shares with ', "Tom's ", 'by ', '-', '😊', '的', '( '])
def test_a_very_long_text_is_compared_at_once(word):
    text = word * 5_000
    assert sum(len(form) for form in forms_of(text)) < 10
    assert not is_one_fact(text, f'{text}Tom')
    assert is_one_fact(text, text)
