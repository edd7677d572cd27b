"""One node of a kind is active in a domain and namespace: the lock tells on this machine, the graph on others."""

import os

import pytest
from lifecycle_msgs.msg import State, Transition
from lifecycle_msgs.srv import ChangeState
from rclpy.duration import Duration
from rclpy.lifecycle import LifecycleNode, TransitionCallbackReturn
from std_msgs.msg import String

from lucca_core import claim as locks
from lucca_core.errors import AlreadyRunningError
from lucca_ros import node_claim as claims
from lucca_ros.callers import ServiceCaller
from lucca_ros.node_claim import NodeClaim, claim_with_activation, heard_claims

pytestmark = pytest.mark.ros


class PotterNode(LifecycleNode):
    """Of a kind that no other test has."""


@pytest.fixture
def potters(context, executor):
    made = []

    def make(name, **options):
        node = PotterNode(name, context=context, **options)
        executor.add_node(node)
        made.append(node)
        return node

    yield make
    for node in made:
        executor.remove_node(node)
        node.destroy_node()


@pytest.fixture(autouse=True)
def locks_of_this_test(tmp_path, monkeypatch):
    """What an earlier test did not release is not in the way."""
    monkeypatch.setattr(locks, 'FOLDER', tmp_path)


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """Where claims that are taken from now on do not see the locks of before, as on another machine."""
    # Long enough to be discovered on a machine that does much else.
    monkeypatch.setattr(claims, 'HERE_S', 4.0)

    def move(name):
        folder = tmp_path / name
        folder.mkdir()
        monkeypatch.setattr(locks, 'FOLDER', folder)

    return move


def activate(node):
    node.trigger_configure()
    return node.trigger_activate()


def test_the_second_of_a_kind_is_not_activated_whatever_its_name_and_comes_back_when_the_first_is_gone(potters):
    first, second = potters('first'), potters('second')
    claim_with_activation(first)
    refused = claim_with_activation(second)
    assert activate(first) == TransitionCallbackReturn.SUCCESS
    assert activate(second) == TransitionCallbackReturn.FAILURE
    assert isinstance(refused.refused, AlreadyRunningError)
    assert f'the node potter already runs in domain {os.environ["ROS_DOMAIN_ID"]}, namespace /: process' in str(
        refused.refused
    )
    first.trigger_deactivate()
    assert second.trigger_activate() == TransitionCallbackReturn.SUCCESS
    second.trigger_shutdown()
    assert first.trigger_activate() == TransitionCallbackReturn.SUCCESS


def test_a_node_that_could_not_be_deactivated_is_active_still_and_keeps_a_second_one_out(potters):
    first, second = potters('first'), potters('second')
    first._callbacks[State.TRANSITION_STATE_DEACTIVATING] = lambda state: TransitionCallbackReturn.FAILURE
    for node in (first, second):
        claim_with_activation(node)
    assert activate(first) == TransitionCallbackReturn.SUCCESS
    assert first.trigger_deactivate() == TransitionCallbackReturn.FAILURE
    assert activate(second) == TransitionCallbackReturn.FAILURE


def test_in_two_namespaces_both_are_active(potters):
    nodes = [potters('potter', namespace=name) for name in ('one', 'two')]
    for node in nodes:
        claim_with_activation(node)
    assert [activate(node) for node in nodes] == [TransitionCallbackReturn.SUCCESS] * 2


def test_a_node_on_another_machine_is_heard_in_the_graph(potters, elsewhere):
    elsewhere('here')
    first = NodeClaim(potters('first'))
    first.take()
    first.confirm()
    elsewhere('there')
    second = NodeClaim(potters('second'))
    second.take()
    with pytest.raises(AlreadyRunningError, match=f'process {os.getpid()} on '):
        second.confirm()
    first.release()
    second.take()
    second.confirm()


def test_of_two_on_two_machines_at_the_same_moment_one_has_it(potters, elsewhere):
    rivals = []
    for name in ('here', 'there'):
        elsewhere(name)
        rivals.append(NodeClaim(potters(name)))
        rivals[-1].take()
    refused = 0
    for rival in rivals:
        try:
            rival.confirm()
        except AlreadyRunningError:
            refused += 1
    assert refused == 1


def test_whoever_speaks_after_a_claim_does_not_displace_it(context, make_node, monkeypatch):
    monkeypatch.setattr(claims, 'HERE_S', 4.0)
    # Spun by nobody, as while it activates itself: what was said waits for `confirm`.
    busy = PotterNode('busy', context=context)
    try:
        claim = NodeClaim(busy)
        claim.take()
        onlooker = make_node('others')
        heard = []
        onlooker.create_subscription(String, claims.TOPIC, lambda msg: heard.append(msg.data), claims.HEARD)
        rivals = [onlooker.create_publisher(String, claims.TOPIC, claims.LATCHED) for _ in range(6)]
        for number, publisher in enumerate(rivals):
            kind = 'potter' if number == 0 else 'weaver'
            publisher.publish(String(data=f'{kind} 0{number} holds process {number} on early'))
        for _ in range(1000):
            if len([said for said in heard if 'early' in said]) == len(rivals):
                break
            onlooker.get_clock().sleep_for(Duration(seconds=0.01), context=onlooker.context)
        with pytest.raises(AlreadyRunningError, match='process 0 on early'):
            claim.confirm()
    finally:
        busy.destroy_node()


def test_two_that_missed_each_other_find_out_and_one_of_them_has_lost(potters, make_node, monkeypatch):
    monkeypatch.setattr(claims, 'HERE_S', 0.0)
    node = potters('first')
    claim = NodeClaim(node)
    claim.take()
    claim.confirm()
    onlooker = make_node('other_machine')
    other = onlooker.create_publisher(String, claims.TOPIC, claims.LATCHED)
    other.publish(String(data='potter ffffffffffffffffff holds process 1 on late'))
    other.publish(String(data='potter 0 claims process 1 on early'))
    other.publish(String(data='[' * 100_000))
    other.publish(String(data=''))
    other.publish(String(data='potter 0 holds process 1 on early'))
    for _ in range(500):
        if claim.lost is not None:
            break
        onlooker.get_clock().sleep_for(Duration(seconds=0.01), context=onlooker.context)
    assert 'process 1 on early' in str(claim.lost)


def test_a_node_that_has_lost_its_claim_is_told_to_end_at_once(potters, monkeypatch):
    monkeypatch.setattr(claims, 'HERE_S', 0.0)
    told = []
    monkeypatch.setattr(claims, 'end_wait', told.append)
    node = potters('first')
    claim = NodeClaim(node)
    claim.take()
    claim.confirm()
    claim._on_claim(String(data='potter ffffffffffffffffff holds process 1 on late'))
    assert not told
    claim._on_claim(String(data='potter 0 holds process 1 on early'))
    assert claim.lost is not None
    assert told == [node.executor]


def test_who_looks_is_told_what_runs(potters, make_node, monkeypatch):
    node = potters('potter', namespace='robot_1')
    claim_with_activation(node)
    activate(node)
    looker = make_node('looker', namespace='robot_1')

    def spins(seconds):
        looker.get_clock().sleep_for(Duration(seconds=seconds), context=looker.context)

    assert f'process {os.getpid()} on ' in heard_claims(looker, ['potter'], 10.0, spins)['potter']
    assert heard_claims(looker, ['weaver'], 0.3, spins) == {}
    assert heard_claims(make_node('other', namespace='robot_2'), ['potter'], 0.3, spins) == {}


def test_a_node_that_a_manager_activates_is_refused_too(potters, make_node):
    first, second = potters('first'), potters('second')
    for node in (first, second):
        claim_with_activation(node)
    manager = make_node('manager')

    def change(name, transition):
        caller = ServiceCaller(manager, ChangeState, f'{name}/change_state')
        try:
            return caller.call(ChangeState.Request(transition=Transition(id=transition)), 10.0).success
        finally:
            caller.destroy()

    assert change('first', Transition.TRANSITION_CONFIGURE)
    assert change('second', Transition.TRANSITION_CONFIGURE)
    assert change('second', Transition.TRANSITION_ACTIVATE)
    assert not change('first', Transition.TRANSITION_ACTIVATE)
    assert change('second', Transition.TRANSITION_DEACTIVATE)
    assert change('first', Transition.TRANSITION_ACTIVATE)
