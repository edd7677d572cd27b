"""Statements which say themselves that a value changed. The pairs are written by hand."""

import pytest

from lucca_memory.semantic.config import SemanticConfig
from lucca_memory.semantic.consolidation.supersession import Changes, takes_the_place
from lucca_memory.semantic.language.reading import asked_readings_of, linked_readings_of, readings_of

CHANGED = [
    (
        'I have set aside 80 euros a month for pottery lessons.',
        'I raised my monthly budget for pottery lessons to 110 euros because clay got expensive.',
    ),
    (
        'My physiotherapy session is on 3 May at 10:00.',
        'The physiotherapy session has been moved to 9 May at 16:00, as the trainer is ill.',
    ),
    (
        'My typing speed is at 48 words per minute, and I am still practising, how can I get faster?',
        'I pushed my typing speed up from 48 to 61 words per minute, which feels great.',
    ),
    (
        'The deadline for the kitchen plan is 14 June.',
        'What should I prepare for the extended deadline of 28 June for the kitchen plan?',
    ),
    (
        'The choir rehearsal starts on Tuesday at 19:00.',
        'We settled on starting the choir rehearsal on Thursday at 19:00 instead.',
    ),
    (
        'The catering for the harvest supper costs 25 euros per person.',
        'How should I explain the catering cost increase to 32 euros for the harvest supper?',
    ),
    (
        'I raised the seed budget for the allotment to 40 euros in spring.',
        'I track what I spend on the seed budget for the allotment, which has grown to 55 euros.',
    ),
    (
        'My swimming endurance score improved from 40 to 52 since 3 March, how can I keep this up?',
        'I am glad that my swimming endurance score has reached 60 this week.',
    ),
    (
        'We agreed on 40 euros a month for the shared seed budget, which is up from 30 euros.',
        'I might not manage with the increased shared seed budget of 50 euros.',
    ),
    (
        'The greenhouse sensor network has 12 nodes.',
        'The greenhouse sensor network is now at 15 nodes, so the gateway is busy.',
    ),
]
KEPT = [
    # Another thing of the same kind.
    ('The team meeting is planned for 3 May.', 'The board meeting was moved to 9 May.'),
    ('My physiotherapy session with Ines is on 3 May.', 'My physiotherapy session with Tarek was moved to 9 May.'),
    ('The budget for pottery lessons is 80 euros.', 'I raised the budget for the garden fence to 300 euros.'),
    ('The guest room rent is 400 euros.', 'The guest room deposit was raised to 500 euros.'),
    ('The registration deadline for the summer camp is 3 May.', 'The summer camp was moved to 9 June.'),
    # Another person's.
    ('My guest room rent is 400 euros.', "My sister's guest room rent was raised to 500 euros."),
    ("My sister's guest room rent is 400 euros.", 'My guest room rent was raised to 500 euros.'),
    # "Now" is not about the value.
    ('The guest room rent is 400 euros.', 'Now I found 20 euros in the guest room while the rent was due.'),
    ('The guest room rent is 400 euros.', 'The guest room rent is now 20 euros higher.'),
    # What is granted only if something else is true.
    ('The deadline for the kitchen plan is 14 June.', 'What if the new deadline for the kitchen plan is 28 June?'),
    # Something that happened, and does not change.
    ('I spent 45 euros on pottery tools.', 'I raised my monthly budget for pottery tools to 110 euros.'),
    ('I felt ill after the physiotherapy session on 3 May.', 'The physiotherapy session has been moved to 9 May.'),
    # A range is no change.
    ('The library desk opens at 9:00.', 'The library desk is staffed from 9:00 to 17:00.'),
    # The amount of a change is not its result.
    ('The budget for pottery lessons is 80 euros.', 'I raised the budget for pottery lessons by 30 euros.'),
    ('I worry about the 30 euro rise of the pottery budget.', 'I raised the pottery budget to 110 euros.'),
    ('The allotment course is a 12-week programme.', 'The allotment course is now at 10 hours weekly.'),
    ('The deadline of the first draft is 14 June.', 'The deadline of the second draft was moved to 28 June.'),
    # Another unit.
    ('The choir trip takes 3 days.', 'The choir trip was extended to 40 people.'),
    # A wish, a doubt and a question change nothing.
    ('The deadline for the kitchen plan is 14 June.', 'The deadline for the kitchen plan might be moved to 28 June.'),
    ('The deadline for the kitchen plan is 14 June.', 'Should the deadline for the kitchen plan be moved to 28 June?'),
    # The same value again.
    ('The deadline for the kitchen plan is 28 June.', 'The deadline for the kitchen plan was moved to 28 June.'),
]


def takes(old, new):
    return takes_the_place(
        readings_of(new, 'Anna'),
        readings_of(old, 'Anna'),
        lambda text: None,
        SemanticConfig().same_attribute,
        Changes(linked_readings_of(new, 'Anna'), asked_readings_of(new, 'Anna'), linked_readings_of(old, 'Anna')),
    )


@pytest.mark.parametrize(('old', 'new'), CHANGED)
def test_a_change_in_free_words_takes_the_place_of_the_value_before(old, new):
    assert takes(old, new)


@pytest.mark.parametrize(('old', 'new'), KEPT)
def test_what_is_not_the_value_before_the_change_is_kept(old, new):
    assert not takes(old, new)
