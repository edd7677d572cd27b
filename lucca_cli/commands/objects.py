"""`lucca objects`: what the robot sees on the table now."""

from lucca_cli.client import running_stack
from lucca_cli.options import Json
from lucca_cli.output import Output


def objects(as_json: Json = False) -> None:
    """Shows what the robot sees on the table now."""
    show = Output(as_json=as_json)
    with running_stack() as client:
        snapshot = client.snapshot()
        if not as_json:
            show.objects(snapshot)
            return
        show.json(
            [
                {
                    'id': item.object_id,
                    'name': item.name,
                    'label': item.label,
                    'attributes': item.attributes,
                    'container': item.container,
                    'position_world_m': item.pose_world.position_m,
                    'visible': item.visible,
                    'inferred': item.inferred,
                }
                for item in snapshot.objects
            ]
        )
