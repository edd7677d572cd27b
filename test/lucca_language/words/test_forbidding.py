"""Roundabout prohibitions are said plainly, and other sentences stay as they are."""

import pytest

from lucca_language.words.forbidding import forbidden_plainly


@pytest.mark.parametrize(
    'text',
    [
        'Would you mind not touching the baseball?',
        'could you please not touch the baseball?',
        "I'd rather you didn't touch the baseball.",
        "I'd prefer it if you didn't touch the baseball.",
        'I would prefer you not to touch the baseball.',
        "Make sure you don't touch the baseball.",
        'Be careful not to touch the baseball.',
        'It is important that you do not touch the baseball.',
        'Please avoid touching the baseball.',
        'Refrain from touching the baseball.',
        'No touching the baseball!',
        "I don't want you touching the baseball.",
        "I don't want the baseball touched.",
        "You're not supposed to touch the baseball.",
        'You better not touch the baseball.',
        'Touching the baseball is not allowed.',
        'Nobody touches the baseball.',
        'Make sure nobody touches the baseball.',
        'Under no circumstances should you touch the baseball.',
        "Whatever you do, don't touch the baseball.",
        "Don't even think about touching the baseball.",
        "Don't you dare touch the baseball!",
        'Keep your hands off the baseball.',
        'Steer clear of the baseball.',
        "Don't lay a finger on the baseball.",
        'Do not touch or tilt the baseball.',
        'You may touch anything but the baseball.',
        'Thank you for not touching the baseball.',
        "I don't want anybody near the baseball.",
        'I forbid you to touch the baseball.',
        'I forbid you from touching the baseball.',
        'I prohibit touching the baseball.',
        'By no means touch the baseball.',
        'Please avoid the baseball.',
        'Let nobody touch the baseball.',
        "Don't let anyone touch the baseball.",
        'Remember, do not touch the baseball.',
        'Feel free to move anything except the baseball.',
        'All but the baseball may be moved.',
        'Hey robot, could you make sure not to touch the baseball?',
        'May I ask you not to touch the baseball?',
        'I told you not to touch the baseball.',
        "I'd be grateful if you didn't touch the baseball.",
    ],
)
def test_these_forbid_to_touch(text: str) -> None:
    assert forbidden_plainly(text).lower().rstrip('.!?') == 'do not touch the baseball'


@pytest.mark.parametrize(
    ('text', 'plain'),
    [
        ('The cup has to stay put.', 'The cup stays where it is.'),
        ("I'd like the cup to stay here.", 'the cup stays where it is.'),
        ('The cup should be left alone.', 'The cup stays where it is.'),
        ('Would you mind leaving the cup alone?', 'leave the cup alone'),
        ("I'd like you to leave the cup as it is.", 'leave the cup alone.'),
        ('The cup is off limits.', 'The cup must not be moved.'),
        ('Remember that the cup is not to be touched.', 'the cup is not to be touched.'),
        ('Be careful not to drop the cup in box 1.', 'do not drop the cup in box 1.'),
        ("You'd better not touch the cup, okay?", 'do not touch the cup, okay.'),
        ('From now on, do not touch the cup.', 'never touch the cup.'),
        ('Neither the cup nor the mug may be moved.', 'do not touch the cup or the mug.'),
        ('Everything except cups may be moved.', 'do not touch cups.'),
        ('I need the cup where it is.', 'the cup stays where it is.'),
        ("I don't want the cup in box 1.", 'do not put the cup in box 1.'),
        ("Put all in box 1, but I'd rather you didn't move the cup.", 'Put all in box 1, but do not move the cup.'),
    ],
)
def test_these_forbid_in_other_words(text: str, plain: str) -> None:
    assert forbidden_plainly(text) == plain


@pytest.mark.parametrize(
    'text',
    [
        "I'd rather you didn't sing.",
        'Be careful not to drop the cup.',
        'Would you mind putting the cup in box 1?',
        'She said I should avoid touching the cup.',
        'I try not to think of it.',
        'Make sure the cup is in box 1.',
        'The cup stood here.',
        'I have not touched the cup.',
        'Nobody knows the cup.',
        'From now on, do not sing.',
        'You can say anything but no.',
        'You asked to avoid the cup.',
        'All but the cup may be moved again.',
        'Is it better not to touch the apple?',
        'is it important not to touch the apple',
        'Would it be better not to move the apple?',
        'Would you like me not to touch the apple?',
        'Have you been asked not to touch the apple?',
        'Should I take care not to touch it?',
        'Should you not touch the apple?',
        'Are you sure not to touch the apple?',
        'You told me not to touch the apple.',
        'You asked to avoid touching the apple.',
        'I hope you did not move the apple.',
        "I'm glad you didn't move the apple.",
        'I appreciate that you did not move the apple.',
        'You should have been asked not to move the apple.',
        'Be careful not to drop the apple when you put it in box 1.',
        "I don't want the apple on the table.",
    ],
)
def test_these_stay_as_they_are(text: str) -> None:
    assert forbidden_plainly(text) == text
