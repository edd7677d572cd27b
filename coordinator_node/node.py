"""The coordinator as a ROS node; the reasoning is in `goal_dispatcher.py` and `goal_run.py`.

Goals run in threads of their own, so that any number of them can wait without blocking an executor thread. The action
server executes a goal only to deliver its result: rclpy's executor would poll a coroutine that waits for a future,
without a pause.
"""

import threading
import uuid
from collections.abc import Callable
from dataclasses import asdict, fields, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from diagnostic_msgs.msg import DiagnosticArray
from lucca_interfaces.action import ExecuteTask
from lucca_interfaces.msg import Utterance as UtteranceMsg
from rclpy.action import CancelResponse, GoalResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn

from coordinator_node.config import CoordinatorConfig
from coordinator_node.goals.goal_dispatcher import GoalDispatcher
from coordinator_node.goals.goal_threads import Giver, GoalThreads
from coordinator_node.goals.goals import QueueFull
from coordinator_node.interfaces import Goal, TaskResult
from coordinator_node.model_caller import ModelCaller
from coordinator_node.people.interface import PeopleInterface
from coordinator_node.people.service_client import PeopleServiceClient
from coordinator_node.persona import load_persona
from coordinator_node.ros_interfaces import RosArms, RosMemory, RosPerception, RosProhibitions
from coordinator_node.talk.agent import Agent
from coordinator_node.tasks.parts import load_known, make_parts
from coordinator_node.waits import Waits
from lucca_core.protocol.goals import GoalFeedback, GoalRequest, GoalResult, Phase, Status
from lucca_core.protocol.observations import GoalNews
from lucca_core.protocol.speech import Utterance
from lucca_llm.exchange import ModelExchange, ObservedModel
from lucca_llm.model import ChatModel
from lucca_llm.model_spec import deciding_spec, make_model, talking_spec
from lucca_ros.callers import FEEDBACK_QOS
from lucca_ros.conversions.goals import GOAL_FEEDBACK, GOAL_REQUEST, GOAL_RESULT
from lucca_ros.conversions.speech import UTTERANCE
from lucca_ros.diagnostics import DIAGNOSTICS, diagnose_every, diagnostic_msg
from lucca_ros.lifecycle import logged_transition, main_of
from lucca_ros.observing import Observer
from lucca_ros.parameters import declare_parameters, read_parameters
from lucca_ros.rclpy_internals import DeliveringActionServer, RCLError
from lucca_ros.streams import Streams

_JOIN_S = 3.0

T = TypeVar('T')


class _Speaker:
    """The giver of a goal that came by voice; hears what the robot says."""

    def __init__(self, node: 'CoordinatorNode', goal: Goal) -> None:
        self._node = node
        self._goal = goal
        node.observe(goal)

    def hear(self, event: GoalFeedback) -> None:
        self._node.observe(self._goal, step=event)
        if event.phase is Phase.SAYING:
            self._node.speak(self._goal, event.text)

    def tell(self, result: TaskResult) -> None:
        ended = replace(result, task=result.task or self._goal.task)
        self._node.observe(self._goal, result=ended)
        self._node.log_end(self._goal, ended)

    def wait_told(self, timeout_s: float) -> None:
        pass


class _Client(_Speaker):
    """The giver of a goal that came through the `execute_task` action."""

    def __init__(self, node: 'CoordinatorNode', goal: Goal, handle: Any) -> None:
        super().__init__(node, goal)
        self._handle = handle
        handle.delivered = threading.Event()

    def hear(self, event: GoalFeedback) -> None:
        super().hear(event)
        if self._handle.is_active:
            self._handle.publish_feedback(GOAL_FEEDBACK.to_msg(event))

    def tell(self, result: TaskResult) -> None:
        try:
            super().tell(result)
        finally:
            self._deliver(replace(result, task=result.task or self._goal.task))

    def _deliver(self, result: TaskResult) -> None:
        handle = self._handle
        try:
            try:
                handle.execute(lambda handle: _end(handle, result))
            except RCLError:
                # A cancel arrived between rclpy's check for one and its state change; the second try sees it.
                if not handle.is_cancel_requested:
                    raise
                handle.execute(lambda handle: _end(handle, result))
        except Exception:
            handle.delivered.set()
            # While the node is being torn down, nobody may be left to deliver to.
            if self._node.context.ok():
                raise

    def wait_told(self, timeout_s: float) -> None:
        self._handle.delivered.wait(timeout_s)


class CoordinatorNode(LifecycleNode):
    """Takes goals from `execute_task` and from speech, and runs them with perception, worker and action node."""

    def __init__(self, make_model: Callable[[str], ChatModel] = make_model, **node_options: Any) -> None:
        super().__init__('coordinator', **node_options)
        declare_parameters(self, CoordinatorConfig(), self._on_change)
        self._streams = Streams(self)
        self._make_model = make_model
        self._group = ReentrantCallbackGroup()
        self._dispatcher: GoalDispatcher | None = None
        self._goals: GoalThreads | None = None
        self._people: PeopleServiceClient | None = None
        self._observer: Observer | None = None
        self._arms = RosArms(self._streams)
        # Kept after the first activation: rclpy raises out of spin if it is destroyed while an executor waits.
        self._server: DeliveringActionServer | None = None

    def _on_change(self, config: CoordinatorConfig) -> None:
        """Live settings are read from this whenever they are needed."""
        self._config = config

    @logged_transition
    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        self._config = config = read_parameters(self, CoordinatorConfig)
        decides, spec = deciding_spec(config.llm), talking_spec(config.llm, config.talk_llm, config.prompts)
        model = self._make_model(decides)
        talking = None if spec == decides else self._make_model(spec)
        observer = self._observer = Observer(self, ModelExchange, GoalNews)
        self._model = self._talk_model = ObservedModel(model, self.get_name(), observer.tell)
        if talking is not None:
            self._talk_model = ObservedModel(talking, self.get_name(), observer.tell)
        self._said = self.create_lifecycle_publisher(UtteranceMsg, 'speech/say', 10)
        self._diagnostics = self.create_lifecycle_publisher(DiagnosticArray, DIAGNOSTICS, 10)
        return super().on_configure(state)

    @logged_transition
    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        tasks, actions = load_known(self._config)
        persona = load_persona(Path(self._config.persona_file) if self._config.persona_file else None)
        for model in dict.fromkeys((self._model, self._talk_model)):
            model.check(self._config.check_timeout_s)
        result = super().on_activate(state)
        self._memory = RosMemory(self._streams, self._config)
        self._arms.config = self._config
        self._eyes = RosPerception(self, self._streams)
        self._arms.actions = tuple(actions)
        self._prohibitions = RosProhibitions(self._streams, self._config)
        parts = make_parts(
            self._model,
            self._memory,
            self._arms,
            self._eyes,
            self._config,
            tasks=tasks,
            action_specs=actions,
            prohibitions=self._prohibitions,
        )
        if self._config.remember_people:
            self._people = PeopleServiceClient(self, self._group, self._config.people_timeout_s)
        self._agent = agent = Agent(
            ModelCaller(self._talk_model, self._config, Waits()),
            self._memory,
            self._config,
            people=None if self._people is None else PeopleInterface(self._people.ask),
            persona=persona,
            table=self._eyes.newest,
            prohibitions=self._prohibitions,
        )
        self._goals = GoalThreads(_JOIN_S)
        self._dispatcher = GoalDispatcher(parts, agent)
        self._server = self._server or DeliveringActionServer(
            self,
            ExecuteTask,
            'execute_task',
            execute_callback=self._no_result,
            goal_callback=self._on_goal,
            handle_accepted_callback=self._on_accepted,
            cancel_callback=self._on_cancel,
            callback_group=self._group,
            feedback_pub_qos_profile=FEEDBACK_QOS,
            result_timeout=self._config.result_kept_s,
        )
        self._heard = self.create_subscription(
            UtteranceMsg, 'speech/heard', self._on_heard, 10, callback_group=self._group
        )
        self._timer = diagnose_every(self, self._diagnose, group=self._group)
        return result

    @logged_transition
    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        self._close(tell=True)
        return super().on_deactivate(state)

    @logged_transition
    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        for model in dict.fromkeys((self._model, self._talk_model)):
            model.close()
        self.destroy_lifecycle_publisher(self._said)
        self.destroy_lifecycle_publisher(self._diagnostics)
        if self._observer is not None:
            self._observer.destroy()
            self._observer = None
        return super().on_cleanup(state)

    def destroy_node(self) -> None:
        """Ends all goals, then destroys the node. No executor may be spinning it any more."""
        self._close(tell=False)
        for part in (self._server, self._observer):
            if part is not None:
                part.destroy()
        self._streams.close()
        super().destroy_node()

    def _close(self, *, tell: bool) -> None:
        """Ends all goals. With `tell`, a goal that does not end in time is reported as failed."""
        (dispatcher, self._dispatcher), (goals, self._goals) = (self._dispatcher, None), (self._goals, None)
        if dispatcher is None or goals is None:
            return
        self.destroy_timer(self._timer)
        self.destroy_subscription(self._heard)
        # The order matters: a goal that arrives meanwhile is either cancelled or never begun.
        goals.close()
        dispatcher.queue.cancel_all()
        reason = 'the coordinator was deactivated, and the goal did not end in time'
        timeout_s = (self._config.deactivate_timeout_s if self.context.ok() else 0.0) + 2 * _JOIN_S
        goals.join(timeout_s, TaskResult(status=Status.FAILED, reason=reason) if tell else None)
        people, self._people = self._people, None
        if self.context.ok():
            self._agent.close()
        self._memory.destroy()
        self._prohibitions.destroy()
        if people is not None:
            people.destroy()
        self._eyes.destroy()

    def _on_goal(self, request: ExecuteTask.Goal) -> GoalResponse:
        dispatcher = self._dispatcher
        if dispatcher is None:
            return GoalResponse.REJECT
        stops = dispatcher.is_stop(Goal(goal_id='', task=request.task, text=request.text))
        return GoalResponse.REJECT if dispatcher.queue.full() and not stops else GoalResponse.ACCEPT

    def _on_accepted(self, handle: Any) -> None:
        goal = Goal(goal_id=_id_of(handle), source='cli', **asdict(GOAL_REQUEST.from_msg(handle.request)))
        self._start(goal, _Client(self, goal, handle))

    def _on_cancel(self, handle: Any) -> CancelResponse:
        dispatcher = self._dispatcher
        if dispatcher is None or not dispatcher.queue.cancel(_id_of(handle)):
            return CancelResponse.REJECT
        return CancelResponse.ACCEPT

    def _on_heard(self, msg: UtteranceMsg) -> None:
        dispatcher = self._dispatcher
        heard = UTTERANCE.from_msg(msg)
        if heard.text.strip():
            # Somebody who speaks interrupts the running goal, even one that was given by voice.
            running = dispatcher.queue.running() if dispatcher is not None else None
            priority = max(self._config.speech_priority, running.priority + 1 if running is not None else 0)
            goal = Goal(
                goal_id=uuid.uuid4().hex, text=heard.text, person=heard.person, source='speech', priority=priority
            )
            self._start(goal, _Speaker(self, goal))

    def _start(self, goal: Goal, giver: Giver) -> None:
        dispatcher, goals = self._dispatcher, self._goals

        def refuse(reason: str) -> None:
            said = f'I cannot do that now: {reason}' if goal.text else ''
            giver.tell(TaskResult(status=Status.REFUSED, task=goal.task, reason=reason, said=said))

        if dispatcher is None or goals is None:
            refuse('the coordinator is not active')
            return
        if not dispatcher.is_stop(goal):
            try:
                dispatcher.queue.add(goal)
            except (QueueFull, ValueError) as error:
                refuse(str(error))
                return

        try:
            goals.start(f'goal-{goal.goal_id[:8]}', partial(dispatcher.serve, goal), giver)
        except RuntimeError as error:
            dispatcher.queue.end(goal.goal_id)
            refuse(str(error))

    def observe(self, goal: Goal, *, step: GoalFeedback | None = None, result: TaskResult | None = None) -> None:
        """Publishes that a goal was given, what it is doing, or how it ended."""
        news = GoalNews(
            goal_id=goal.goal_id,
            source=goal.source,
            request=_plain(GoalRequest, goal),
            step=step,
            result=None if result is None else _plain(GoalResult, result),
            waits=None if result is None else result.waits,
        )
        if self._observer is not None:
            self._observer.tell(news)

    def log_end(self, goal: Goal, result: TaskResult) -> None:
        """Logs how a goal ended, and speaks the part of its result that was not spoken yet."""
        if not self.context.ok():
            return
        self.get_logger().info(
            f'goal {result.task or goal.text[:80]!r}: {result.status}; {len(result.actions_done)} actions done, '
            f'{result.refusals} refusals, {result.retries} retries, {result.model_retries} model retries'
            + (f'; {result.reason}' if result.reason else '')
        )
        if result.said and not result.spoken:
            self.speak(goal, result.said)

    def speak(self, goal: Goal, text: str) -> None:
        """Says something aloud to the person who gave a goal."""
        if self.context.ok():
            stamp_s = float(self.get_clock().now().nanoseconds) * 1e-9
            self._said.publish(UTTERANCE.to_msg(Utterance(text=text, person=goal.person, stamp_s=stamp_s)))

    def _no_result(self, handle: Any) -> ExecuteTask.Result:
        raise AssertionError('goals are executed with a callback of their own')

    def _diagnose(self) -> None:
        dispatcher = self._dispatcher
        if dispatcher is None:
            return
        running = dispatcher.queue.running()
        msg = diagnostic_msg(
            'coordinator',
            f'running {running.task}' if running else 'idle',
            {
                'model': self._model.spec,
                'talk_model': self._talk_model.spec,
                'waiting': len(dispatcher.queue.waiting()),
            },
            stamp=self.get_clock().now().to_msg(),
        )
        self._diagnostics.publish(msg)


def _plain(kind: type[T], value: Any) -> T:
    """The value reduced to the fields of its base class `kind`."""
    return kind(**{field.name: getattr(value, field.name) for field in fields(kind)})  # type: ignore[arg-type]


def _id_of(handle: Any) -> str:
    return bytes(handle.goal_id.uuid).hex()


def _end(handle: Any, result: TaskResult) -> ExecuteTask.Result:
    if result.status in (Status.FINISHED, Status.SUSPENDED):
        handle.succeed()
    elif result.status is Status.CANCELLED and handle.is_cancel_requested:
        handle.canceled()
    else:
        handle.abort()
    return GOAL_RESULT.to_msg(result)


main = main_of(CoordinatorNode)
