"""Changes of mind in words."""

import pytest

from lucca_llm.rules.utterances.change_forms import ChangeKind, change_in


@pytest.mark.parametrize(
    ('said', 'kind', 'what', 'instead'),
    [
        ('And the can, too.', ChangeKind.ADD, 'the can', ''),
        ('The can as well, please.', ChangeKind.ADD, 'the can', ''),
        ('Also put the can in box 2.', ChangeKind.ADD, 'put the can in box 2', ''),
        ("Don't forget the can!", ChangeKind.ADD, 'the can', ''),
        ('No, the pear into box 2.', ChangeKind.REVISE, 'put the pear into box 2', ''),
        ('Actually, the pear to me.', ChangeKind.REVISE, 'give me the pear', ''),
        ('Put the pear in box 2 instead.', ChangeKind.REVISE, 'put the pear in box 2', ''),
        ('I changed my mind: give me the pear', ChangeKind.REVISE, 'give me the pear', ''),
        ('Leave the banana after all.', ChangeKind.RETRACT, 'the banana', ''),
        ('No, leave the banana where it is.', ChangeKind.RETRACT, 'the banana', ''),
        ("Don't put the banana in box 1.", ChangeKind.RETRACT, 'the banana', ''),
        ('You can skip the banana', ChangeKind.RETRACT, 'the banana', ''),
        ('Not the pear, the plum.', ChangeKind.REPLACE, 'the pear', 'the plum'),
        ('The plum instead of the pear.', ChangeKind.REPLACE, 'the pear', 'the plum'),
        ('Not that one, the red cube!', ChangeKind.CORRECT, '', 'the red cube'),
        ('Not that one.', ChangeKind.CORRECT, '', ''),
        ("No, I didn't mean the pear.", ChangeKind.RETRACT, 'the pear', ''),
        ("That's not what I said.", ChangeKind.CORRECT, '', ''),
    ],
)
def test_changes_are_told_by_their_cue(said, kind, what, instead):
    form = change_in(said)
    assert form is not None
    assert (form.kind, form.what, form.instead) == (kind, what, instead)


@pytest.mark.parametrize(
    'said',
    [
        'No wait, my favourite fruit is the banana',
        'Put the pear in box 2.',
        'Is the pear in box 2, too?',
        'Yes, I used to live in Toronto.',
        'and my sister moved to Oslo',
        'Leave the pear in box 1.',
        'Thank you',
        'No.',
        '',
    ],
)
def test_what_has_no_such_cue_is_no_change(said):
    assert change_in(said) is None
