"""The service `action/prohibitions`: lists, adds and lifts prohibitions, in every state of a configured node."""

from rclpy.lifecycle import LifecycleNode

from action_node.internal_errors import InternalErrors
from action_node.prohibition_desk import ProhibitionDesk
from lucca_core.errors import MemoryFault
from lucca_core.protocol.prohibitions import ProhibitionChange
from lucca_core.protocol.refusal import Refusal
from lucca_ros.companion import Companion
from lucca_ros.conversions.prohibitions import PROHIBITIONS


class ProhibitionService:
    """Offers a desk to other nodes, at a companion of the node. Call `destroy` when done."""

    def __init__(
        self,
        node: LifecycleNode,
        beside: Companion,
        desk: ProhibitionDesk,
        internal_errors: InternalErrors,
    ) -> None:
        self._node = node
        self._desk = desk
        self._internal_errors = internal_errors
        self._beside = beside.node
        name = node.resolve_service_name('action/prohibitions')
        self._service = self._beside.create_service(PROHIBITIONS.kind, name, self._on_request)

    def destroy(self) -> None:
        """Ends the service."""
        self._beside.destroy_service(self._service)

    def _on_request(self, request: object, response: object) -> object:
        try:
            asked = PROHIBITIONS.request.from_msg(request)
            answer = self._desk.answer(asked)
        except (MemoryFault, ValueError) as error:
            return PROHIBITIONS.answer.to_msg(Refusal(str(error)))
        except Exception as error:  # noqa: BLE001 - a request is answered, and nobody takes it for kept
            return PROHIBITIONS.answer.to_msg(Refusal(self._internal_errors.note(error, 'a prohibition')))
        if asked.change is not ProhibitionChange.LIST:
            changed = '; '.join(map(str, answer.changed))
            self._node.get_logger().info(f'{asked.person or "somebody"}: {asked.change} prohibition: {changed}')
        return PROHIBITIONS.answer.to_msg(answer)
