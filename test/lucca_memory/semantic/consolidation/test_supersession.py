"""What takes the place of what. The pairs are written by hand; no update has a word such as "now" or "moved to"."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lucca_memory.embedding.spec import make_embedder, minilm_folder
from lucca_memory.semantic.answering.version_order import AMONG, Version, newest_first
from lucca_memory.semantic.config import SemanticConfig
from lucca_memory.semantic.consolidation.supersession import says_the_same, supersedes, takes_the_place
from lucca_memory.semantic.language.reading import read, readings_of, sentences_of

UPDATES = [
    ('I live in Bonn.', 'I live in Kiel.'),
    ('I live in Bonn.', 'My flat is in Kiel.'),
    ('My favourite colour is green.', 'My favourite colour is blue.'),
    ('The dentist appointment is on Tuesday at 15:00.', 'The dentist appointment is on Thursday at 9:30.'),
    ('My train leaves at 17:40.', 'The train leaves at 18:10.'),
    ('Tom drives a red Volvo.', 'Tom drives a blue Skoda.'),
    ('The project deadline is 4 May.', 'The project is due on 11 May.'),
    ('Our budget for Lisbon is 900 euros.', 'The Lisbon budget is 1200 euros.'),
    ('My phone number is 0151 2345.', 'My phone number is 0170 999.'),
    ("My sister's name is Paula Berg.", "My sister's name is Paula Kern."),
    ('The spare key is under the blue pot.', 'The spare key is in the kitchen drawer.'),
    ('The meeting with Dr. Okafor is in room 12.', 'The meeting with Dr. Okafor is in room 30.'),
    ('The Wi-Fi password is tulip42.', 'The Wi-Fi password is rose77.'),
    ('The front door is green.', 'The front door is blue.'),
    ('We meet on Mondays.', 'We meet on Fridays.'),
    ('The report goes to Claire.', 'The report goes to Hassan.'),
    ('My cat is called Momo.', 'My cat is called Luna.'),
    ('The workshop takes place in Madrid.', 'The workshop takes place in Porto.'),
    ('Her shoe size is 38.', 'Her shoe size is 39.'),
    ('The sensor samples at 50 Hz.', 'The sensor samples at 100 Hz.'),
    ('Our sample size is 40 participants.', 'We have 64 participants in the sample.'),
    ('Ada Lind chairs the tide forum.', 'The chair of the tide forum is Tom Berg.'),
    ('Ada chairs the tide forum.', 'Tom chairs the tide forum.'),
    ('Ilse lives in Porto.', "Ilse's home is in Bergen."),
    ('The laboratory of the kelp probe is Copper Pavilion.', 'The kelp probe has its laboratory in Lantern Rooms.'),
]
OTHERS = [
    # One is allergic to several things.
    ('Maria is allergic to peanuts.', 'Maria is allergic to shellfish.'),
    ('I like pizza.', 'I like pasta.'),
    ('Paula lives in Bonn.', 'Tom lives in Kiel.'),
    ("My brother's name is Tom.", "My brother's birthday is 4 May."),
    ("My brother's name is Tom.", "My brother's dog is Rex."),
    ('I live in Bonn.', 'I work in Kiel.'),
    ('My sister is a nurse.', 'My sister is tired.'),
    ('The code of locker 3 is 111.', 'The code of locker 4 is 222.'),
    ('I bought a bike in May.', 'I bought a car in June.'),
    ('The train leaves at 17:40.', 'The meeting starts at 18:00.'),
    ("Tom's phone number is 111.", "Tom's birthday is 3 May."),
    ('Paula works in Kiel.', 'Paula was born in Bonn.'),
    ('The keys are in the drawer.', 'The scissors are in the cupboard.'),
    ('Our budget for Lisbon is 900 euros.', 'Our budget for Porto is 700 euros.'),
    ('I met Anna on Monday.', 'I met Ben on Tuesday.'),
    ('The weather is nice in Bonn.', 'The food is good in Kiel.'),
    ('My flight lands at 10:00.', 'My flight costs 200 euros.'),
    ('My mother lives in Ulm.', 'My father lives in Trier.'),
    ('Ben plays the violin.', 'Ben studies physics.'),
    ('Ben plays the violin.', 'Ben plays the cello.'),
    ('My friend Nadia says hello.', 'My friend Pieter says hello.'),
    ('My favourite colour is green.', 'My favourite food is lasagne.'),
    ('The hotel has 3 stars.', 'The hotel has 120 rooms.'),
    ('The laboratory of the kelp probe is Copper Pavilion.', 'The laboratory of the glacier probe is Lantern Rooms.'),
    ('The alarm that wakes Jonas Keller rings at 6:35.', 'The alarm that wakes Greta Ulmer rings at 6:13.'),
    ('The spring regatta starts at 20:13.', 'The spring regatta expects 610 visitors.'),
    ('The spring regatta has its laboratory in Maple House.', 'The spring regatta is led by Ada Lind.'),
    ('Tom owns a kayak.', 'Tom owns a tent.'),
    ('The crew includes Tom.', 'The crew includes Ada.'),
    ('Seats for 132 guests are in Maple House.', 'Seats for 132 guests are in Granite Court.'),
    ('My neighbour lives in Ulm.', 'I live in Kiel.'),
    ('Paula lives in Bonn.', 'Tom lives in Bonn.'),
]


def no_meaning(text):
    return None


@pytest.fixture(scope='module')
def meaning():
    if minilm_folder() is None:
        pytest.skip('all-MiniLM-L6-v2 is not installed')
    embedder, known = make_embedder('minilm'), {}

    def embed(text):
        if text not in known:
            known[text] = embedder.embed([text])[0]
        return known[text]

    return embed


def closes(old, new, embed):
    one, two = read(new, 'Anna'), read(old, 'Anna')
    return one is not None and two is not None and supersedes(one, two, embed, SemanticConfig().same_attribute)


@pytest.mark.parametrize(('old', 'new'), UPDATES)
def test_another_value_of_the_same_attribute_takes_the_place(old, new, meaning):
    assert closes(old, new, meaning)


@pytest.mark.parametrize(
    ('holds', 'was'),
    [
        ('Tom lives in Berlin.', 'Tom lived in Paris as a child.'),
        ('I work at Bosch.', 'I worked at Siemens.'),
        ('I work at Bosch.', 'I used to work at Siemens.'),
        ('The door is blue.', 'The door was green.'),
        ('My sister drives a Volvo.', 'My sister drove a Fiat.'),
    ],
)
def test_what_used_to_be_never_ends_what_is(holds, was, meaning):
    assert not closes(holds, was, meaning)
    assert not closes(holds, was, no_meaning)


@pytest.mark.parametrize(
    ('old', 'new'),
    [
        ('Tom lived in Paris.', 'Tom lives in Berlin.'),
        ('I worked at Siemens.', 'I work at Bosch.'),
        ('The deadline is on Monday.', 'The deadline was moved to Friday.'),
    ],
)
def test_what_is_ends_what_was_and_what_was_done_ends_it_as_well(old, new, meaning):
    assert closes(old, new, meaning)


@pytest.mark.parametrize(('old', 'new'), OTHERS)
def test_another_subject_attribute_or_a_further_value_does_not(old, new, meaning):
    assert not closes(old, new, meaning)
    assert not closes(new, old, meaning)


def test_without_a_model_nothing_is_closed_that_should_not_be():
    assert not [pair for pair in OTHERS if closes(*pair, no_meaning)]


def test_without_a_model_most_updates_are_still_seen():
    assert sum(closes(*pair, no_meaning) for pair in UPDATES) >= 0.8 * len(UPDATES)


@pytest.mark.parametrize('text', [old for old, _ in UPDATES])
def test_the_same_again_closes_nothing(text):
    assert not closes(text, text, no_meaning)


def test_a_question_is_no_statement():
    assert read('Where does Paula live?') is None


@pytest.mark.parametrize(
    ('one', 'other'),
    [
        ('Ada Lind chairs the tide forum.', 'The chair of the tide forum is Ada Lind.'),
        ('The desk of Edda Ivers has the label LM-69.', 'Edda Ivers sits at desk LM-69.'),
        ('The basalt archive has collected 239 samples.', 'The samples of the basalt archive number 239.'),
    ],
)
def test_a_paraphrase_says_the_same(one, other):
    assert says_the_same(read(one), read(other), no_meaning)


def test_another_number_does_not_say_the_same():
    assert not says_the_same(read('The train leaves at 17:40.'), read('The train leaves at 18:10.'), no_meaning)


def test_sentences_that_point_back_stay_together():
    assert sentences_of('My sister is Paula. She lives in Ulm. The train is late.') == [
        'My sister is Paula. She lives in Ulm.',
        'The train is late.',
    ]


PASSING = [
    ('For context, my commute is 37 minutes each way.', 'My commute is 66 minutes each way, which is why I ask.'),
    ('I should mention that our rent is $1,250 a month.', 'We pay $1,610 in rent every month.'),
    ('My passport is in the desk drawer, if that helps.', 'By the way, the passport lives in the fireproof box.'),
    ('The mentor I talk to is Gwen Talbot.', 'By the way, my mentor is Leila Haddad.'),
    ('I own four bikes.', 'I own three bikes, so I need a rack.'),
    ('The delivery of Emery Linens comes on 5 April.', 'Emery Linens delivers on 4 August.'),
    ('Ada Lind answers the phone at Emery Linens.', 'Tom Berg answers the phone at Emery Linens.'),
]
SMALL_TALK = [
    ('Wow, that looks great!', 'Wow, it looks awesome!'),
    ('Appreciate your support.', 'Appreciate your kind words.'),
    ('I totally agree, Melanie.', 'I totally agree, Caroline.'),
    ('Thanks for the tip!', 'Thanks for the idea.'),
    ('My family motivates me to keep going.', 'My family is my motivation.'),
    ('I had lunch with Bashir.', 'I had lunch with Corinne.'),
    ('I finished reading Emma.', 'I finished Ulysses.'),
    ('I spent a weekend in Oslo.', 'I had a long weekend in Lisbon.'),
    ('I live in Bonn.', 'I might live in Kiel.'),
    ('I live in Bonn.', "We don't live in Kiel."),
    ('The residence of Otto Tolle is in Fernby.', 'The residence of Agnes Prager is in Fernbury.'),
    ('The residence of Otto Tolle is in Fernby.', 'Daan Nordin shares a flat with Otto Tolle.'),
]


def takes(old, new):
    return takes_the_place(
        readings_of(new, 'Anna'), readings_of(old, 'Anna'), no_meaning, SemanticConfig().same_attribute
    )


@pytest.mark.parametrize(('old', 'new'), PASSING)
def test_what_is_said_in_passing_takes_the_place_too(old, new):
    assert takes(old, new)


@pytest.mark.parametrize(('old', 'new'), SMALL_TALK)
def test_small_talk_doubts_and_what_happened_close_nothing(old, new):
    assert not takes(old, new)
    assert not takes(new, old)


def test_a_text_that_says_something_else_besides_is_not_closed():
    assert not takes('I live in Bonn, and my cat is called Momo.', 'I live in Kiel.')


def version(text, minute, score):
    return Version(text, 'Anna', minute, score, np.zeros(0, np.float32))


def test_the_newer_version_goes_first_and_nothing_leaves_the_first_ten():
    found = [
        version('The contact at Emery Linens is Ada Lind.', 1, 1.0),
        version('The weather is fine in Bonn.', 2, 0.95),
        version('Tom Berg answers the phone at Emery Linens.', 3, 0.9),
        version('Emery Linens delivers on 4 August.', 4, 0.2),
    ]
    assert newest_first(found) == [2, 0, 1, 3]


@given(st.permutations(range(6)))
def test_of_several_versions_the_newest_goes_first_whatever_the_order_they_were_found_in(drawn):
    towns = ('Bonn', 'Kiel', 'Ulm', 'Jena', 'Essen', 'Mainz')
    found = [version(f'I live in {towns[born]}.', born, 1.0) for born in drawn]
    assert [found[place].said for place in newest_first(found)] == [5, 4, 3, 2, 1, 0]


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 9)), max_size=25))
def test_an_order_is_a_permutation_that_leaves_what_is_beyond_the_first_in_place(drawn):
    found = [version(f'Our rent is {value} euros.', born, 1.0) for value, born in drawn]
    order = newest_first(found)
    assert sorted(order) == list(range(len(found)))
    assert sorted(order[:AMONG]) == list(range(min(AMONG, len(found))))
    assert order[AMONG:] == list(range(AMONG, len(found)))


@pytest.mark.parametrize(
    ('old', 'new'),
    [
        ('I swim at the lido now and then.', 'I swim at the lake now and then.'),
        ('I take zinc as a supplement.', 'I take iron as a supplement.'),
        ('I am a member of the chess club.', 'I am a member of the rowing club.'),
        ('I have a cousin called Bea.', 'I have a cousin called Dov.'),
    ],
)
def test_what_people_do_and_have_several_of_is_not_closed(old, new):
    """In the first person only what is spoken of as the only one is."""
    assert not takes_the_place(readings_of(new, 'Anna'), readings_of(old, 'Anna'), lambda _: None, 0.72)


@pytest.mark.parametrize(
    ('old', 'new'),
    [
        ('My gym is Ironworks.', 'The gym I go to is Harborside.'),
        ('My passport is in the drawer.', 'I keep my passport in the safe.'),
        ('I run the 5K in 25:50.', 'I run the 5K in 24:12.'),
    ],
)
def test_what_people_say_of_the_only_one_is_closed(old, new):
    assert takes_the_place(readings_of(new, 'Anna'), readings_of(old, 'Anna'), lambda _: None, 0.72)
