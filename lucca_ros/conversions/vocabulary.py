"""Conversions of the service that sets what the detector looks for."""

from lucca_interfaces.srv import SetVocabulary

from lucca_core.protocol.refusal import Refusal
from lucca_core.protocol.vocabulary import Vocabulary, VocabularyTaken
from lucca_ros.conversions.conversion import Conversion, Service, mirrored


def _taken_to_msg(value: VocabularyTaken | Refusal) -> SetVocabulary.Response:
    if isinstance(value, Refusal):
        return SetVocabulary.Response(message=value.reason)
    return SetVocabulary.Response(success=True, message=value.message)


def _taken_from_msg(msg: SetVocabulary.Response) -> VocabularyTaken | Refusal:
    return VocabularyTaken(message=msg.message) if msg.success else Refusal(msg.message)


SET_VOCABULARY: Service[Vocabulary, VocabularyTaken] = Service(
    SetVocabulary,
    mirrored(Vocabulary, SetVocabulary.Request),
    Conversion(VocabularyTaken | Refusal, SetVocabulary.Response, _taken_to_msg, _taken_from_msg),
)
