"""Conversions of task states, and of the services that teach and forget a task."""

from lucca_interfaces import msg, srv

from lucca_core.protocol.tasks import TaskLesson, TaskRemoval, TaskRemoved, TaskState, TaskTaught
from lucca_ros.conversions.conversion import Conversion, Service, answered, mirrored

TASK_STATE = mirrored(TaskState, msg.TaskState)

TASK_STATES: Conversion[tuple[TaskState, ...]] = Conversion(
    tuple[TaskState, ...],
    srv.ListTasks.Response,
    lambda states: srv.ListTasks.Response(tasks=[*map(TASK_STATE.to_msg, states)]),
    lambda response: tuple(map(TASK_STATE.from_msg, response.tasks)),
)
TEACH_TASK = Service(
    srv.TeachTask, mirrored(TaskLesson, srv.TeachTask.Request), answered(TaskTaught, srv.TeachTask.Response, 'success')
)
FORGET_TASK = Service(
    srv.ForgetTask,
    mirrored(TaskRemoval, srv.ForgetTask.Request),
    answered(TaskRemoved, srv.ForgetTask.Response, 'success'),
)
