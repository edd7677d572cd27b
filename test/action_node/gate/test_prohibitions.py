"""Prohibitions at the gate: nothing that is prohibited, or may be, ever gets a permit."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from action_node.gate.gate import Anywhere, Gate, Situation
from lucca_core.codes import ReasonCode
from lucca_core.errors import RefusalError
from lucca_core.protocol.actions import ActionCall
from lucca_core.protocol.prohibitions import KeptProhibitions, Prohibition
from lucca_core.protocol.snapshots import Container, Snapshot, TableObject
from lucca_language.prohibitions import Fit, fit, listed
from lucca_memory.procedural import Motion, load_actions

ACTIONS = dict(load_actions())
GATE = Gate(ACTIONS, Anywhere())
PLACES = sorted({spec.effect.container for spec in ACTIONS.values() if spec.effect.container})
WHATS = [
    'the red cup',
    'anything yellow',
    'fruit',
    'anything',
    'the mug',
    'anything except fruit',
    'the gizmo',
    'it',
    'the carrot',
]

objects = st.builds(
    lambda label, colours: TableObject(object_id='id', name=f'{label} 7', label=label, attributes=tuple(colours)),
    st.sampled_from(['cup', 'mug', 'pear', 'banana', 'gizmo', 'red cube', 'carrot', 'carrot cake']),
    st.lists(st.sampled_from(['red', 'yellow', 'green', 'big']), max_size=2, unique=True),
)
prohibitions = st.builds(
    lambda what, place: Prohibition(what=what, place=place), st.sampled_from(WHATS), st.sampled_from(['', *PLACES])
)


def situation(item: TableObject, *kept: Prohibition, fault: str = '') -> Situation:
    seen = Snapshot(objects=(item,), containers=tuple(Container(name=name) for name in PLACES))
    return Situation(
        snapshot=seen,
        allowed_actions=frozenset(ACTIONS),
        prohibitions=KeptProhibitions(prohibitions=kept, fault=fault),
    )


def refusal_of(action: str, case: Situation) -> RefusalError | None:
    try:
        GATE.check(ActionCall(action, case.snapshot.objects[0].name), case)
    except RefusalError as error:
        return error
    return None


@given(st.sampled_from(sorted(ACTIONS)), objects, st.lists(prohibitions, max_size=4))
def test_whatever_may_be_prohibited_never_gets_a_permit_and_all_else_does(
    action: str, item: TableObject, kept: list[Prohibition]
) -> None:
    spec = ACTIONS[action]
    meant = [
        each
        for each in kept
        if fit(each.what, listed(item)) is not Fit.NO and each.place in ('', spec.effect.container)
    ]
    refused = refusal_of(action, situation(item, *kept))
    if meant and spec.motion is not Motion.POINT:
        assert refused is not None
        assert refused.code is ReasonCode.PROHIBITED
        assert f'“{meant[0]}”' in str(refused)
        assert f'“{meant[0].how_to_lift}”' in str(refused)
    else:
        assert refused is None


@given(st.sampled_from(sorted(ACTIONS)), objects, st.lists(prohibitions, max_size=3), prohibitions)
def test_a_further_prohibition_only_narrows_and_lifting_it_restores(
    action: str, item: TableObject, kept: list[Prohibition], further: Prohibition
) -> None:
    before = refusal_of(action, situation(item, *kept))
    with_it = refusal_of(action, situation(item, *kept, further))
    assert before is None or with_it is not None
    lifted = refusal_of(action, situation(item, *[each for each in (*kept, further) if each is not further]))
    assert (lifted is None) == (before is None)


@pytest.mark.parametrize('action', sorted(ACTIONS))
def test_nothing_moves_while_it_is_not_known_what_is_prohibited(action: str) -> None:
    item = TableObject(object_id='id', name='pear', label='pear')
    refused = refusal_of(action, situation(item, fault='the file /x/prohibitions.json cannot be read'))
    assert refused is not None
    assert refused.code is ReasonCode.PROHIBITED
    assert '/x/prohibitions.json' in str(refused)


def test_an_object_in_doubt_is_refused_and_the_refusal_says_so() -> None:
    item = TableObject(object_id='id', name='gizmo', label='gizmo')
    refused = refusal_of('give', situation(item, Prohibition(what='fruit', person='Ana')))
    assert 'nobody can tell whether gizmo is meant, so it counts' in str(refused)
    assert 'as Ana said' in str(refused)


def test_another_name_in_another_snapshot_changes_nothing() -> None:
    item = TableObject(object_id='id', name='pear', label='pear')
    for name in ('pear', 'pear 2', 'pear 17'):
        assert refusal_of('give', situation(replace(item, name=name), Prohibition(what='pear 2'))) is not None
