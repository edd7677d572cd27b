"""Prohibitions over real DDS: the service keeps them, the gate heeds them, and they survive the node."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from diagnostic_msgs.msg import DiagnosticStatus
from node_rig import Rig

from action_node.prohibition_store import NAME
from lucca_core.codes import ReasonCode
from lucca_core.errors import MemoryFault
from lucca_core.protocol.prohibitions import ProhibitionChange, ProhibitionRequest, ProhibitionsAnswer
from lucca_core.protocol.snapshots import TABLE
from lucca_ros.conversions.prohibitions import PROHIBITIONS

pytestmark = pytest.mark.ros


def ask(rig: Rig, change: ProhibitionChange = ProhibitionChange.LIST, what: str = '', place: str = '') -> Any:
    client = rig.helper.create_client(PROHIBITIONS.kind, 'action/prohibitions')
    rig.until(client.service_is_ready)
    request = ProhibitionRequest(change=change, what=what, place=place, person='Ana')
    answer = rig.finished(client.call_async(PROHIBITIONS.request.to_msg(request)))
    rig.helper.destroy_client(client)
    return PROHIBITIONS.answer_from_msg(answer)


def test_what_is_prohibited_does_not_move_until_it_is_lifted(rig: Rig) -> None:
    added: ProhibitionsAnswer = ask(rig, ProhibitionChange.ADD, 'the pear')
    assert [(item.what, item.person) for item in added.prohibitions] == [('the pear', 'Ana')]
    result = rig.do('<move_to_box_1(pear)>')
    assert result.code is ReasonCode.PROHIBITED
    assert '“do not move the pear”, as Ana said' in result.message
    assert '“you may move the pear again”' in result.message
    assert rig.place() == TABLE
    assert rig.world.trajectories == 0
    assert [entry.code for entry in rig.world.entries] == ['prohibited']
    assert rig.do('<point(pear)>').code is ReasonCode.DONE
    assert ask(rig, ProhibitionChange.LIFT, 'the pear').prohibitions == ()
    assert rig.do('<move_to_box_1(pear)>').code is ReasonCode.DONE


def test_a_place_is_prohibited_and_another_is_not(rig: Rig) -> None:
    ask(rig, ProhibitionChange.ADD, 'fruit', 'box 1')
    assert rig.do('<move_to_box_1(pear)>').code is ReasonCode.PROHIBITED
    assert rig.do('<move_to_box_2(pear)>').code is ReasonCode.DONE


def test_it_holds_in_the_next_node(new_rig: Callable[..., Rig], tmp_path: Path) -> None:
    first = new_rig(state_dir=str(tmp_path))
    ask(first, ProhibitionChange.ADD, 'the pear')
    first.close()
    second = new_rig(state_dir=str(tmp_path))
    assert [item.what for item in ask(second).prohibitions] == ['the pear']
    assert second.do('<move_to_box_1(pear)>').code is ReasonCode.PROHIBITED


def test_nothing_moves_while_the_file_is_damaged(new_rig: Callable[..., Rig], tmp_path: Path) -> None:
    (tmp_path / NAME).write_text('{')
    rig = new_rig(state_dir=str(tmp_path))
    rig.until(lambda: rig.status == DiagnosticStatus.ERROR)
    for action in ('<move_to_box_1(pear)>', '<point(apple)>'):
        result = rig.do(action)
        assert result.code is ReasonCode.PROHIBITED
        assert str(tmp_path / NAME) in result.message
    with pytest.raises(MemoryFault, match='nothing moves'):
        ask(rig)
    (tmp_path / NAME).unlink()
    rig.until(lambda: rig.status == DiagnosticStatus.OK)
    assert rig.do('<move_to_box_1(pear)>').code is ReasonCode.DONE


def test_what_is_prohibited_before_the_arm_starts_does_not_start(rig: Rig) -> None:
    """The call has passed the gate and its intent is recorded."""
    store = rig.node._executor()._parts.prohibitions.__self__
    desk = rig.node._prohibitions._desk
    request = ProhibitionRequest(change=ProhibitionChange.ADD, what='the pear')

    def prohibit(entry: Any) -> None:
        if entry.kind == 'intent' and not store.kept().prohibitions:
            desk.answer(request)

    rig.world.recorded = prohibit
    result = rig.do('<move_to_box_1(pear)>')
    assert result.code is ReasonCode.PROHIBITED
    assert rig.place() == TABLE
    assert [entry.kind for entry in rig.world.entries] == ['intent', 'outcome']


def test_what_is_not_understood_is_refused_with_the_reason(rig: Rig) -> None:
    for what in ('it', 'the blorp'):
        with pytest.raises(MemoryFault, match='I do not understand'):
            ask(rig, ProhibitionChange.ADD, what)
    assert ask(rig).prohibitions == ()
