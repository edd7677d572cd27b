"""Wordings that are said again in words which the parser knows, and nothing beside them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lucca_language.reading.reading import read
from lucca_language.words.rewording import reworded


@pytest.mark.parametrize(
    ('said', 'meant'),
    [
        ('pick up the cup and place in box 1', 'take the cup and put it in box 1'),
        ('collect the cups then release into box 2', 'take the cups then put them into box 2'),
        ('Grab the cup & place in bowl', 'take the cup and put it in bowl'),
        ('take the mug & hand it to me', 'take the mug and hand it to me'),
        ('take the mug and leave it inside the bowl', 'take the mug and put it inside the bowl'),
        ('on tower place the red block', 'place the red block on tower'),
        ('pick the pear up and put it in box 1', 'pick up the pear and put it in box 1'),
        ('collect the cup and leave in box 1', 'take the cup and put it in box 1'),
        ('grip the cup from table and drop in the bowl', 'take the cup and put it in the bowl'),
        ('grab the cup and the mug and drop in the bowl', 'take the cup and the mug and put them in the bowl'),
        ('get the crate off the table and place it in box 1', 'take the crate and put it in box 1'),
        ('grab and drop the cup in box 1', 'drop the cup in box 1'),
        ('carry the cup and set it down in box 2', 'carry the cup and put it in box 2'),
        ('go to the cup and pick it up.', 'take the cup.'),
        ('There is a cup on the table. Put it in the bowl', 'Put the cup in the bowl'),
        ('I see a plum, can you give that plum to me', 'can you give the plum to me'),
        ('The plum is on the table but you should move it to the bowl', 'but you should move the plum to the bowl'),
        ('stack the cubes from bottom to top: red, blue', 'stack the cubes in the order red, blue'),
        (
            'stack the cubes with red on the bottom, blue in the middle and green on top',
            'stack the cubes in the order red, blue, green',
        ),
        ('stack all the cubes with the red one on top', 'stack all the cubes except the red one, then the red one'),
        (
            'Make a tower by placing the cup on top of the mug.',
            'put the mug on the tower, then put the cup on the tower.',
        ),
        (
            'the red cube on the tower and the blue cube on top of that',
            'the red cube on the tower and the blue cube on the tower',
        ),
        ('put the cup in box 1, then do the same with the mug', 'put the cup in box 1, then the mug'),
        ('three (3) fruits', 'three fruits'),
        ('use your gripper to take the cup', 'take the cup'),
        ('grab the cup in front of you and place it on the tower', 'take the cup and put it on the tower'),
        ('we are done with the cup, so put it in box 2', 'so put the cup in box 2'),
        ('on top of the tower place the red block', 'place the red block on top of the tower'),
        ('hand me over the cup', 'hand me the cup'),
        ('show me where the cup is', 'point at the cup'),
        ('see if you can get the cup into box 2', 'get the cup into box 2'),
        (
            'put green on the tower and blue on top of that',
            'put the green one on the tower and the blue one on the tower',
        ),
        ('The goal is that all the blocks are in box 2.', 'put all the blocks in box 2.'),
        ('fruits such as apple, banana, etc in the bowl', 'fruits such as apple, banana in the bowl'),
        ('move all but blue to box 2', 'move all but the blue one to box 2'),
        ('Locate the mug and deliver it to me.', 'bring the mug to me.'),
        ('fetch the mug from the table and carry it to box 2', 'put the mug in box 2'),
        ('get the mug and bring it to me if it is clean', 'bring the mug to me if it is clean'),
        ("Find the mug that's on the table, then put the mug in the bowl", 'put the mug in the bowl'),
        ('Grab the mug from atop the table. Drop the mug in box 1.', 'Drop the mug in box 1.'),
        ('give me the plums located on the table', 'give me the plums on the table'),
        ('put the cup in box 1, and then drop a mug there too', 'put the cup in box 1, and then drop a mug in box 1'),
        ('carry the things on the table to box 2', 'carry all the things to box 2'),
        ('pass me a mug while I grab the blue one.', 'pass me a mug but not the blue one.'),
        ("Will you put the plum in box 1? I'm taking the cup.", 'Will you put the plum in box 1 but not the cup.'),
        ("I'm going to fetch the red mug, so hand me the white one", 'hand me the white mug but not the red mug'),
        ('Hand me the cup while I get the mug. That is all.', 'Hand me the cup but not the mug. That is all.'),
        (
            "Hand me the cup, I'm getting the mug. Put that plate in box 1.",
            'Hand me the cup but not the mug. Put that plate in box 1.',
        ),
        (
            'Hand me the cup while I get the mug. Take the plate. Put it in box 1.',
            'Hand me the cup but not the mug. Take the plate. Put it in box 1.',
        ),
    ],
)
def test_a_wording_is_said_in_words_that_are_known(said: str, meant: str) -> None:
    assert reworded(said) == meant
    assert reworded(meant) == meant


@pytest.mark.parametrize(
    'said',
    [
        'pick up the cup and place a mug in box 1',
        'pick up the cup in box 2 and place in box 1',
        'go to the cup and break it',
        'There is no cup on the table. Put it in the bowl',
        'The plum is on the floor but you should move it to the bowl',
        'stack the cubes from left to right: red, blue',
        'put the cup near the mug and the plum on top of that',
        'put the cup in box 1, then do something else with the mug',
        'the pumpkin that is bigger than the cup',
        'three (4 if there are more) fruits',
        'The goal is that no blocks are in box 2.',
        'put the apple etc in box 1',
        'the soup on the tower of the castle',
        'put one block in box 1 and two more in box 2',
        'put the cup in box 1 if it is red and do the same with the mug',
        'put the cup in box 1 and the mug in box 2 and do the same with the blocks',
        'put the cup in box 1 but I will do the same with the mug',
        'give me the guitar pick and put the cup in box 1',
        'give me the ski lift and put the cup in box 1',
        'put the cup on the tower then give me the mug and put the block on top of it',
        'stack all blocks unless you see a cup with the red one on top',
        'put the cup in box 1 with the gripper',
        'put two (3) blocks in box 1',
        'put all objects that are not in the scene in box 1',
        'Here is a fun fact. Give it to me.',
        'How do I make a tower by putting the cup on the mug?',
        'give me the mac & cheese',
        'give me the banana-shaped object',
        'give me the bigger cup',
        'look for the cup and bring it to Ana',
        'find the cup, then put the mug in box 1',
        'find the cup and the mug and bring it to me',
        'put the cup in box 1 and the mug over there',
        'how many of the things on the table are red?',
        "I'll take the red cup. Hand me the cup.",
        'I will take the cup and put the plum in box 1',
        'I will take the cup, and put the plum in box 1',
        "I'll take the red one. Put a cup in box 1.",
        "I'm getting the red cup, hand me the cups.",
        'hand me the cup while you take the mug',
        'hand me the cup if I take the mug',
        'put the cup and the mug in box 1 while I take the cup that is red',
        'Hand me a blue one while I get the red cup',
        "I'll take the red cup. Hand me the blue ones.",
        "Hand me the cup, I'm getting the mug. Put it in box 1.",
        'Hand me the cup while I get the mug. Then put that in box 1.',
        "I'll get the red cup. Hand me the mug. Put them in box 1.",
    ],
)
def test_another_wording_stays(said: str) -> None:
    assert reworded(said) == said


@pytest.mark.parametrize(
    'said',
    [
        'pick up the cup and place in box 1 unless it is full',
        'pick up the cup and throw in box 1',
        'put the cup in box 1, then do the opposite with the mug',
        'put the red block on the tower. The tower should be blue.',
        'put the red block on the tower. The tower must be perfectly straight.',
        'stack the cubes from top to bottom: red, blue',
    ],
)
def test_words_beside_a_wording_are_not_passed_over(said: str) -> None:
    assert read(said, names=frozenset({'block', 'cube', 'cup', 'mug'})).not_understood


SAID = (
    'pick up the cup and place in box 1',
    'take the cup and leave it in box 1',
    'grab the cup & put it in box 1',
    'go',
)


@given(st.lists(st.tuples(st.sampled_from(SAID), st.sampled_from([' and ', '. ', ' & ', ', then '])), min_size=1))
def test_what_was_said_again_stays(parts: list[tuple[str, str]]) -> None:
    again = reworded(''.join(map(''.join, parts)))
    assert reworded(again) == again
