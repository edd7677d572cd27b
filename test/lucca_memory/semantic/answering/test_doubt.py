"""What may be outdated: of two answers to one question the older one is marked, and nothing else is."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lucca_memory.semantic.answering.doubt import FoundStatement, answer_of, newer_versions
from lucca_memory.semantic.config import SemanticConfig
from lucca_memory.semantic.language.questions import wanted_of

GYMS = ('Ironworks', 'Harborside', 'Lakeview', 'Stonehall')


def versions(question, *texts, speaker='Anna'):
    """The texts that are doubted, with the text that was said later, if each is said after the one before it."""
    told = [FoundStatement(text, speaker, at, None) for at, text in enumerate(texts)]
    wanted = wanted_of(question)
    found = {} if wanted is None else newer_versions(wanted, told)
    return {texts[old]: texts[new] for old, new in found.items()}


@pytest.mark.parametrize(
    ('question', 'old', 'new'),
    [
        (
            'Who does my taxes?',
            'My accountant Lorna Pike does my taxes.',
            'The accountant handling my taxes is Dana Cho.',
        ),
        ('How many laps do I swim?', 'I swim 20 laps.', 'I usually manage 44 laps when I swim.'),
        ('Where is the ladder?', 'The ladder is in the shed.', 'We store the ladder in the attic.'),
        ('What do I pay for water?', 'Our water costs $31.', 'By the way, I pay $36 a month for water.'),
        ('What color are our kitchen walls?', 'Our kitchen walls are white.', 'The kitchen walls are pale yellow.'),
        (
            'When does the Alder Choir practise?',
            'The Alder Choir practises at 9:30.',
            'The practice of the Alder Choir is at 18:00.',
        ),
        (
            'When is the exam of Stella Koch?',
            'Stella Koch sits an exam on 3 June.',
            'The exam of Stella Koch is on 9 June.',
        ),
        (
            'Where did Igor Engel go to school?',
            'Igor Engel went to school in Ulm.',
            'Igor Engel went to school in Graz.',
        ),
    ],
)
def test_of_two_answers_to_one_question_the_older_one_is_doubted(question, old, new):
    assert versions(question, old, new) == {old: new}
    assert versions(question, new, old) == {new: old}


@pytest.mark.parametrize(
    ('question', 'one', 'other'),
    [
        # Another thing.
        (
            'How many samples does the kelp atlas have?',
            'The kelp atlas has 140 samples.',
            'The kelp probe has 833 samples.',
        ),
        ('Where does my brother Owen live?', 'My brother Owen lives in Ulm.', 'My sister Tess lives in Graz.'),
        ('How long is my commute?', 'My commute takes 20 minutes.', "Tom's commute takes 50 minutes."),
        # Another attribute of the thing.
        ('What is the rent of Maple Hall?', 'The rent of Maple Hall is 900 euros.', 'Maple Hall seats 900 guests.'),
        (
            'Which locker does Oda Ulmer have?',
            'The locker of Oda Ulmer is LM-72.',
            'Oda Ulmer earns 2505 euros a month.',
        ),
        ('Who leads the ember trial?', 'Ada Pauli leads the ember trial.', 'The ember trial has a site near Elmford.'),
        # What holds of several values, and what happened.
        ('Which languages do I speak?', 'I speak Dutch.', 'I speak Korean.'),
        ('Who are my cousins?', 'My cousin Bea is here.', 'My cousin Dov is here.'),
        ('What is needed for the gala?', 'The gala needs a kettle.', 'The gala needs a drum.'),
        ('What did I buy?', 'I bought a lamp.', 'I bought a pan.'),
        # What is not so, or may be.
        ('Where is the ladder?', 'The ladder is in the shed.', 'The ladder might be in the attic.'),
        # The same, said otherwise.
        ('How much rent do I pay?', 'Our rent is $900.', 'We pay $900 in rent.'),
        ('Who is my dentist?', 'My dentist is Paula Abara.', 'I see Abara, my dentist.'),
    ],
)
def test_what_is_no_version_of_it_raises_no_doubt(question, one, other):
    assert versions(question, one, other) == versions(question, other, one) == {}


def doubted(question, one, other, cosine):
    """How many of two texts are marked, the other one being said later."""
    told = [FoundStatement(text, 'Anna', at, cosine) for at, text in enumerate((one, other))]
    return len(newer_versions(wanted_of(question), told))


@pytest.mark.parametrize('cosine', [None, 0.7])
@pytest.mark.parametrize(
    ('question', 'one', 'other'),
    [
        ('How old is Mia?', 'Mia is 7 years old.', "Mia's cat is 4 years old."),
        (
            'When does the train to Bonn leave?',
            'The train to Bonn leaves at 8:15.',
            'The train to Bonn arrives at 11:40.',
        ),
        ('What is the wifi password?', 'The wifi password is tulip77.', 'The guest wifi password is daisy12.'),
        ('Who is my doctor?', 'My doctor is Dr. Amin.', 'My eye doctor is Dr. Lang.'),
        ("What is Tom's phone number?", "Tom's phone number is 555-0101.", "Tom's office number is 555-0199."),
        (
            "What is Tom's phone number?",
            "Tom's phone number is 555-0101.",
            "The phone number of Tom's garage is 555-0123.",
        ),
        ("What is Mia's favourite food?", "Mia's favourite food is pizza.", "Mia's favourite dessert is ice cream."),
        ('What is my favourite food?', 'My favourite food is ramen.', 'My favourite dessert is tiramisu.'),
        ('How many eggs do I need for the cake?', 'I need 3 eggs for the cake.', 'I need 2 eggs for the pancakes.'),
        ('How many eggs does the cake need?', 'The cake needs 3 eggs.', 'You need 2 eggs for the pancakes.'),
        ('How tall is Ben?', 'Ben is 180 cm tall.', "Ben's sister is 165 cm tall."),
        ('Where does Nora live?', 'Nora lives in Trier.', "Nora's parents live in Mainz."),
        ('How much does Leo weigh?', 'Leo weighs 80 kilos.', "Leo's dog weighs 20 kilos."),
        ('When does the museum open?', 'The museum opens at 9:00.', 'The museum closes at 18:00.'),
        ('When does the concert begin?', 'The concert begins at 20:00.', 'The concert ends at 22:30.'),
        ('Who is my teacher?', 'My teacher is Ms. Kern.', 'My piano teacher is Ms. Roth.'),
        ('What is my password?', 'My password is rose1.', 'My backup password is fern2.'),
        ('Where is my key?', 'My key is in the drawer.', 'My bike key is on the hook.'),
        (
            'How many chairs do we need for the party?',
            'We need 20 chairs for the party.',
            'We need 8 chairs for the meeting.',
        ),
        (
            'What is the price of the blue lamp?',
            'The price of the blue lamp is 40 euros.',
            'The weight of the blue lamp is 3 kilos.',
        ),
        ("When is Jan's birthday?", "Jan's birthday is on 4 May.", "The birthday of Jan's wife is on 9 June."),
        ('What is the code of the cellar?', 'The code of the cellar is 4412.', 'The side code of the cellar is 9917.'),
        ('Where does Tom live?', 'Tom lives in Berlin.', 'Tom lived in Paris as a child.'),
        ('Where do I work?', 'I work at Bosch.', 'I used to work at Siemens.'),
    ],
)
def test_what_is_said_of_something_beside_it_hides_nothing(question, one, other, cosine):
    assert doubted(question, one, other, cosine) == 0


@pytest.mark.parametrize('cosine', [None, 0.7])
@pytest.mark.parametrize(
    ('question', 'old', 'new'),
    [
        (
            'When does the train to Bonn leave?',
            'The train to Bonn leaves at 8:15.',
            'The departure of the train to Bonn is at 8:40.',
        ),
        ('Who is my doctor?', 'My doctor is Dr. Amin.', 'I have Dr. Lang as my doctor.'),
        ("What is Tom's phone number?", "Tom's phone number is 555-0101.", 'The phone number of Tom is 555-0199.'),
        ('What is my favourite food?', 'My favourite food is ramen.', 'The food I prefer is tiramisu.'),
        ('How many eggs do I need for the cake?', 'I need 3 eggs for the cake.', 'For the cake, 4 eggs are needed.'),
        ('Where does Nora live?', 'Nora lives in Trier.', "Nora's home is in Mainz."),
        ('Where does Nora live?', 'Nora lives in Trier.', 'Nora moved to Mainz.'),
        ("When is Jan's exam?", "Jan's exam is on 4 May.", 'Jan sits the exam on 9 June.'),
        ('How much does Leo weigh?', 'Leo weighs 80 kilos.', "Leo's weight is 76 kilos."),
        ('How much is the rent?', 'The rent is 900 euros.', 'Our rent costs 950 euros.'),
        ('Where is my key?', 'My key is in the drawer.', 'My key lies on the shelf.'),
        ('How many chairs do we need for the party?', 'We need 20 chairs for the party.', 'The party needs 30 chairs.'),
        (
            'What is the price of the blue lamp?',
            'The price of the blue lamp is 40 euros.',
            'The blue lamp costs 45 euros.',
        ),
    ],
)
def test_an_update_in_other_words_is_still_one(question, old, new, cosine):
    assert doubted(question, old, new, cosine) == doubted(question, new, old, cosine) == 1


@pytest.mark.parametrize(
    'question', ['Which gym did I go to before?', 'What was my first gym?', 'Where did I have lunch?', 'Hello.']
)
def test_who_asks_for_the_past_or_for_no_value_gets_no_doubt(question):
    assert wanted_of(question) is None


def test_what_two_people_say_of_themselves_is_of_two_people():
    wanted = wanted_of('Which gym do I go to?')
    told = [
        FoundStatement('My gym is Ironworks.', 'Anna', 1, None),
        FoundStatement('My gym is Harborside.', 'Bert', 2, None),
    ]
    assert newer_versions(wanted, told) == {}


def test_a_sentence_beside_it_does_not_hide_an_answer():
    found = answer_of(wanted_of('Where is the ladder?'), 'It has been a long day. The ladder is in the shed.', 'Anna')
    assert found is not None
    assert found.type == 'words'


@pytest.fixture
def open_talk(make_talk):
    """Nothing is closed, so that only doubt tells what is outdated."""
    return make_talk(SemanticConfig(evolution=False, newest_first=False))


def test_a_doubtful_text_is_marked_with_its_date_and_stands_after_the_newer_one(open_talk):
    open_talk.say('My gym is Ironworks.', 'The gym I go to is Harborside.')
    context = open_talk.ask('Which gym do I go to?')
    assert [item.text for item in context.valid] == ['The gym I go to is Harborside.']
    [doubtful] = context.doubtful
    assert doubtful.text == 'My gym is Ironworks.'
    assert doubtful.newer_id == context.valid[0].node_id
    first, second = context.text.splitlines()
    mark = f'(said {doubtful.valid_from:%Y-%m-%d}; something newer was said on {doubtful.newer:%Y-%m-%d})'
    assert second == f'{mark} Anna: My gym is Ironworks.'
    assert 'something newer' not in first
    assert not context.history


def test_doubt_is_of_the_question_and_is_not_stored(open_talk):
    open_talk.say('My gym is Ironworks.', 'The gym I go to is Harborside.')
    open_talk.ask('Which gym do I go to?')
    assert open_talk.memory.stats().closed == 0
    assert not open_talk.ask('Which gym did I go to before?').doubtful
    assert not open_talk.ask('Tell me about Ironworks.').doubtful


def test_what_is_said_again_after_the_other_is_the_newest(open_talk):
    open_talk.say('My gym is Ironworks.', 'The gym I go to is Harborside.', 'My gym is Ironworks.')
    assert [item.text for item in open_talk.ask('Which gym do I go to?').valid] == ['My gym is Ironworks.']


def test_without_doubt_both_are_told_as_they_are(make_talk):
    talk = make_talk(SemanticConfig(evolution=False, doubt=False))
    talk.say('My gym is Ironworks.', 'The gym I go to is Harborside.')
    assert len(talk.ask('Which gym do I go to?').valid) == 2


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(GYMS), st.integers(0, 2)), min_size=1, max_size=6))
def test_only_the_gym_named_last_is_told_unmarked(said):
    """Whatever is said in whatever words and order, and said again: law of one value at a time."""
    wanted = wanted_of('Which gym do I go to?')
    wordings = ('My gym is {}.', 'The gym I go to is {}.', 'By the way, I work out at a gym called {}.')
    told = [FoundStatement(wordings[way].format(gym), 'Anna', at, None) for at, (gym, way) in enumerate(said)]
    newer = newer_versions(wanted, told)
    last = said[-1][0]
    for place, (gym, _) in enumerate(said):
        later = {other for other, _ in said[place + 1 :]} - {gym}
        assert (place in newer) == bool(later)
        assert place not in newer or said[newer[place]][0] != gym
    assert len(said) - 1 not in newer
    assert all(place in newer for place, (gym, _) in enumerate(said) if gym != last)
