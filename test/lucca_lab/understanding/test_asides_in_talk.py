"""Talk around requests: courtesies, wishes, what is taken back, fragments, and what was moved so far."""

import pytest
from conversations import conversation

from lucca_lab.understanding.outcomes import End


@pytest.mark.parametrize(
    ('texts', 'done'),
    [
        (('hello there give me the pear',), 'give(pear)'),
        (('thanks, give me the pear',), 'give(pear)'),
        (('bye, put the pear in box 1',), 'move_to_box_1(pear)'),
        (('thanks for the pear, give me the apple',), 'give(apple)'),
        (('put the apple in box 1', 'great, now the pear'), 'move_to_box_1(pear)'),
        (('put the apple in box 1', 'thanks and the pear too'), 'move_to_box_1(pear)'),
        (('put the pear in box 1 as well',), 'move_to_box_1(pear)'),
        (('put the apple in box 1 whenever you can',), 'move_to_box_1(apple)'),
        (('May I have the apple put in box 1?',), 'move_to_box_1(apple)'),
        (('Make sure that the apple ends up in box 1.',), 'move_to_box_1(apple)'),
        (('Put the apple in box 1 in order to make some room.',), 'move_to_box_1(apple)'),
        (('What I need is the apple.',), 'give(apple)'),
        (('The apple, give it to me.',), 'give(apple)'),
        (('I think the cup should be in box 1', 'yes please'), 'move_to_box_1(cup)'),
        (('put the apple and the pear in different boxes',), 'move_to_box_1(apple)> <move_to_box_2(pear)'),
    ],
)
def test_what_is_asked_for_among_other_words_is_done(texts, done):
    last = conversation(*texts)[-1]
    assert (last.end, ' '.join(last.performed)) == (End.DONE, f'<{done}>'), last.said


@pytest.mark.parametrize(
    'texts',
    [
        ('put the apple in the bowl', 'stop', 'and the pear'),
        ('put the apple in the bowl', 'what about the pear?', 'stop', 'yes please'),
        ('put the apple in the bowl', "that's all, thanks", 'and the pear'),
        ('put the apple in box 1', 'the others too'),
        ('put the apple in box 1', 'the pear instead'),
        ('put the apple in box 1', 'thanks, that was the wrong one'),
        ('put the apple in box 1', 'undo that'),
        ('put the apple in box 1', 'put it back'),
        ('undo that',),
        ('I think the cup should be in box 1',),
        ("shouldn't the cup be in box 1?",),
        ('Is it okay if you put the cup in box 1?',),
        ('put the cubes in different boxes',),
        ('put the cubes one on top of the other in box 1',),
        ('Could I have the apple that is green put in box 1?',),
    ],
)
def test_what_is_not_surely_asked_for_is_asked_about(texts):
    last = conversation(*texts)[-1]
    assert last.end in (End.ASKED, End.REFUSED), last
    assert not last.performed


@pytest.mark.parametrize(
    'text',
    [
        'I love the apple in box 1',
        'I would appreciate the apple not being put in box 1',
        'I made sure the apple is in box 1',
        'I do not think the cup should be in box 1',
        'If you could put the apple in box 1, that would be bad',
    ],
)
def test_what_only_sounds_like_a_request_moves_nothing(text):
    assert conversation(text)[-1].performed == ()


@pytest.mark.parametrize(
    ('texts', 'told'),
    [
        (('put the apple in box 1', 'put the pear in box 1', 'how many things have you moved?'), '2: apple, pear'),
        (('put the apple in box 1', 'how many fruits did you put in box 2?'), 'none'),
        (('Is there an empty box?',), 'Yes. Empty, as I see it now: box 1, box 2.'),
        (('put the apple in box 1', 'are both boxes empty?'), 'No. Empty, as I see it now: box 2.'),
        (
            (
                'I like green tea and my sister is called Lena',
                'forget that I like green tea',
                'what is my sister called?',
            ),
            'my sister is called Lena',
        ),
    ],
)
def test_questions_after_some_work_or_talk(texts, told):
    assert told in conversation(*texts)[-1].said


def test_what_is_forgotten_is_not_kept_with_the_rest():
    texts = ('I like green tea and my sister is called Lena', 'forget that I like green tea', 'what tea do I like?')
    assert 'green' not in conversation(*texts)[-1].said


@pytest.mark.parametrize(
    ('texts', 'said'),
    [
        (('put the banana in box 2', 'where is it?'), 'The banana is in box 2, as I see it now.'),
        (('put the banana in box 2', 'thanks', "and where's that now?"), 'The banana is in box 2, as I see it now.'),
        (('put the apple and the pear in box 1', 'where are they?'), 'The apple is in box 1; the pear is in box 1'),
        (
            ('where are the cubes and the cup?',),
            'The red cube is on the table; the blue cube is on the table; the green',
        ),
        (('do you see the cup?', 'where is it?'), 'The cup is on the table, as I see it now.'),
    ],
)
def test_where_it_is_asks_about_what_was_spoken_of(texts, said):
    assert conversation(*texts)[-1].said.startswith(said)


def test_somebodys_thing_that_was_told_first_in_a_sentence_is_named_inside_one():
    done = conversation("The cup is Mira's.", "Give me Mira's cup.")[-1]
    assert done.said == 'I have finished “Give me the cup”.'
