"""Transitions that say why they failed, and those that are not possible."""

from types import SimpleNamespace

import pytest
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
from rclpy.lifecycle import LifecycleNode, TransitionCallbackReturn
from rclpy.parameter import Parameter

from lucca_core.errors import ConfigError
from lucca_ros.callers import ServiceCaller
from lucca_ros.lifecycle import logged_transition, refuse_impossible_transitions, tell_unknown_parameters

pytestmark = pytest.mark.ros


class Log:
    def __init__(self):
        self.lines = []

    def error(self, text):
        self.lines.append(('error', text))

    def fatal(self, text):
        self.lines.append(('fatal', text))


class FakeNode:
    def __init__(self, error=None):
        self.error = error
        self.log = Log()

    def get_logger(self):
        return self.log

    @logged_transition
    def on_configure(self, state):
        """Docstring of its own."""
        if self.error:
            raise self.error
        return TransitionCallbackReturn.SUCCESS


def test_a_transition_that_succeeds_is_silent():
    node = FakeNode()
    assert node.on_configure(None) == TransitionCallbackReturn.SUCCESS
    assert node.log.lines == []
    assert FakeNode.on_configure.__doc__ == 'Docstring of its own.'


def test_a_condition_of_the_world_fails_the_transition_and_is_logged():
    node = FakeNode(ConfigError('no such file', file='f.yaml'))
    assert node.on_configure(None) == TransitionCallbackReturn.FAILURE
    assert node.log.lines == [('error', 'on_configure failed: f.yaml: no such file')]


def test_a_bug_is_logged_and_raised():
    node = FakeNode(KeyError('x'))
    with pytest.raises(KeyError):
        node.on_configure(None)
    assert node.log.lines == [('fatal', "on_configure raised KeyError: 'x'")]


def test_an_impossible_transition_is_refused_and_the_node_lives_on(context, executor, make_node):
    node = LifecycleNode('managed', context=context)
    refuse_impossible_transitions(node)
    executor.add_node(node)
    caller = ServiceCaller(make_node('manager'), ChangeState, 'managed/change_state')

    def success_of(transition):
        return caller.call(ChangeState.Request(transition=Transition(id=transition)), 8.0).success

    assert not success_of(Transition.TRANSITION_ACTIVATE)
    assert success_of(Transition.TRANSITION_CONFIGURE)
    assert not success_of(Transition.TRANSITION_CONFIGURE)
    assert success_of(Transition.TRANSITION_ACTIVATE)
    caller.destroy()
    executor.remove_node(node)
    node.destroy_node()


def test_a_parameter_that_the_node_does_not_have_is_told(make_node):
    overrides = [
        Parameter('tool_speed', value=0.05),
        Parameter('other', value=1),
        Parameter('tool_speed_mps', value=0.2),
    ]
    node = make_node('fitted', parameter_overrides=overrides)
    node.declare_parameter('tool_speed_mps', 0.25)
    told = []
    node.get_logger = lambda: SimpleNamespace(warning=told.append)
    tell_unknown_parameters(node)
    assert told == [
        "there is no parameter 'tool_speed', its value has no effect; did you mean 'tool_speed_mps'?",
        "there is no parameter 'other', its value has no effect",
    ]
