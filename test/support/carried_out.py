"""Planned motions carried out on the physical table, without ROS: what is perceived is read from the simulator."""

from action_node.motion.motion_plan import MotionPlan, MotionRequest
from action_node.motion.planner import MotionPlanner
from lucca_core.protocol.snapshots import USERS_SIDE, Container, Snapshot, TableObject
from lucca_sim.physics_table import PhysicsTable
from lucca_sim.scene import Scene
from lucca_sim.trace_recorder import TraceRecorder


def seen(scene: Scene, table: PhysicsTable) -> Snapshot:
    """The table as a perfect perception would see it."""
    states = table.object_states()
    objects = []
    for index, item in enumerate(scene.objects):
        x, y, z = (float(value) for value in states.positions_m[index])
        container = USERS_SIDE if x > 0.66 else 'table'
        for candidate in scene.containers:
            if candidate.outline.contains(x, y):
                container = candidate.name
        turn = states.orientations_wxyz[index]
        objects.append(
            TableObject(
                object_id=item.name,
                name=item.name,
                label=item.label,
                pose_world=type(item.pose)((x, y, z), (float(turn[1]), float(turn[2]), float(turn[3]), float(turn[0]))),
                size_m=item.size_m,
                container=container,
            )
        )
    side = Container(name=USERS_SIDE, position_world_m=(0.82, 0.0, 0.8), size_m=(0.32, 1.94, 0.001))
    containers = [side]
    for candidate in scene.containers:
        width, depth, height = candidate.size_m
        if candidate.name == 'tower':
            inside = [o for o in objects if o.container == 'tower']
            height = max([height, *(o.pose_world.position_m[2] + o.size_m[2] / 2 - 0.8 for o in inside)])
        containers.append(
            Container(name=candidate.name, position_world_m=candidate.position_world_m, size_m=(width, depth, height))
        )
    return Snapshot(objects=tuple(objects), containers=tuple(containers))


def carry_out(table: PhysicsTable, plan: MotionPlan, recorder: TraceRecorder | None = None) -> None:
    """Sends each segment when the one before has ended, and lets all come to rest."""
    for segment in plan.segments:
        start = table.time_s + 0.02
        table.command(segment.controller, segment.joints, segment.times_s, segment.positions, segment.velocities, start)
        advance(table, start + segment.duration_s + 0.05, recorder)
    advance(table, table.time_s + 0.5, recorder)


def advance(table: PhysicsTable, until_s: float, recorder: TraceRecorder | None) -> None:
    """Simulates until a time, recording on the way."""
    while recorder is not None and recorder.next_s < until_s:
        table.step(recorder.next_s)
        recorder.sample()
    table.step(until_s)


def record_run(
    scene: Scene, planner: MotionPlanner, jobs: dict[str, str], recorder: TraceRecorder, table: PhysicsTable
) -> None:
    """Does one motion for each object of `jobs`: into a container, to the user's side, or `point`; then waits 1.5 s."""
    advance(table, 0.5, recorder)
    for target, container in jobs.items():
        kind = {'point': 'point', USERS_SIDE: 'give'}.get(container, 'pick_and_place')
        place = '' if container == 'point' else container
        plan = planner.plan(MotionRequest(kind, target, place), seen(scene, table), table.joint_positions())
        carry_out(table, plan, recorder)
    advance(table, table.time_s + 1.5, recorder)
    recorder.finish()
