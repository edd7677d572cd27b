"""A prohibition with a whole stack: said, kept over a restart of the action node, heeded, and lifted again."""

import pytest
from rig import Rig, running

from lucca_core.protocol.goals import GoalRequest, GoalResult
from lucca_core.protocol.prohibitions import ProhibitionRequest

pytestmark = [pytest.mark.ros, pytest.mark.timeout(900)]


def say(rig: Rig, text: str) -> GoalResult:
    return rig.do(GoalRequest(text=text, person='Ana', priority=10))


def test_what_ana_prohibits_stays_where_it_is_until_she_lifts_it(tmp_path):
    with running(tmp_path, 'tower') as rig:
        kept = say(rig, 'never move the red cube')
        assert 'From now on I will not move the red cube' in kept.said
        assert 'until somebody says “you may move the red cube again”' in kept.said
        rig.kill('action')
        held = rig.stack.client.prohibitions(ProhibitionRequest(), 60.0).prohibitions
        assert [(item.what, item.person) for item in held] == [('the red cube', 'Ana')]

        refused = say(rig, 'give me the red cube')
        assert (refused.status, refused.actions_done) == ('refused', ())
        assert '“do not move the red cube” holds until somebody lifts it' in refused.said
        assert '“you may move the red cube again”' in refused.said
        assert 'Prohibited: do not move the red cube (Ana said so' in say(rig, 'what must you not touch?').said

        all_but_it = say(rig, 'put all cubes on the tower')
        assert ', but not the red cube, which is prohibited' in all_but_it.understood
        assert all_but_it.actions_done, all_but_it.reason
        assert '<put_on_tower(red cube)>' not in all_but_it.actions_done

        lifted = say(rig, 'you may move the red cube again')
        assert 'No longer prohibited: “do not move the red cube”.' in lifted.said
        moved = say(rig, 'give me the red cube')
        assert (moved.status, moved.actions_done) == ('finished', ('<give(red cube)>',))
