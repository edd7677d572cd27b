"""Lines in the log of a ROS node that end nothing if they cannot be written."""

import logging
from typing import Any, Literal, Protocol

_LOG = logging.getLogger(__name__)


class Logging(Protocol):
    """An rclpy node."""

    def get_logger(self) -> Any:
        """Its logger. Even this may fail, as with too little memory."""
        ...


def say(node: Logging, severity: Literal['info', 'warning', 'error'], text: str) -> None:
    """Logs. Never raises, because what happened must be answered even if it cannot be logged."""
    try:
        logger = node.get_logger()
        # Three separate calls, because rclpy does not allow another severity at the same place.
        if severity == 'error':
            logger.error(text)
        elif severity == 'warning':
            logger.warning(text)
        else:
            logger.info(text)
    except Exception:  # noqa: BLE001 - see above
        _LOG.exception('the node could not log: %s', text)
