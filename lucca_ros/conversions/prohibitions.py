"""Conversions of prohibitions, and of the service that lists, adds and lifts them."""

from lucca_interfaces import msg, srv

from lucca_core.protocol.prohibitions import Prohibition, ProhibitionRequest, ProhibitionsAnswer
from lucca_ros.conversions.conversion import Service, answered, mirrored, several
from lucca_ros.conversions.stamps import moment

PROHIBITION = mirrored(Prohibition, msg.Prohibition, {'said_at': moment()})

PROHIBITIONS = Service(
    srv.Prohibitions,
    mirrored(ProhibitionRequest, srv.Prohibitions.Request),
    answered(
        ProhibitionsAnswer,
        srv.Prohibitions.Response,
        'success',
        {'prohibitions': several(PROHIBITION), 'changed': several(PROHIBITION)},
    ),
)
