"""Whisper transcription with transformers, from a local folder or the Hugging Face hub; half precision on a GPU."""

import time
from typing import Any

import numpy as np

from lucca_core.errors import SpeechError
from lucca_core.model_folder import model_folder
from lucca_core.protocol.speech import Samples
from speech_node.audio import FULL_SCALE, RATE_HZ
from speech_node.interfaces import MOST_TOKENS, Transcript


class TransformersTranscriber:
    """Whisper models in transformers' format. For arguments and errors, see FasterWhisperTranscriber."""

    def __init__(self, model: str, *, language: str = 'en', device: str = 'auto') -> None:
        # Checked before the import, which takes seconds.
        place = model_folder(model, ('config.json',), SpeechError) or model
        try:
            import torch
            from transformers import AutoProcessor, WhisperForConditionalGeneration
        except ImportError as error:
            raise SpeechError(
                f'the transcriber transformers needs: pip install torch transformers ({error})'
            ) from error
        self._spec = model
        self._language = language
        self._torch: Any = torch
        cuda = device == 'cuda' or (device == 'auto' and torch.cuda.is_available())
        self._device = 'cuda' if cuda else 'cpu'
        self._dtype = torch.float16 if cuda else torch.float32
        try:
            self._processor: Any = AutoProcessor.from_pretrained(place)
            loaded: Any = WhisperForConditionalGeneration.from_pretrained(place, dtype=self._dtype)
            if loaded.config.model_type != 'whisper':
                raise SpeechError(f'{model!r} is a model of type {loaded.config.model_type!r}, not whisper')
            self._model = loaded.to(self._device).eval()
        except SpeechError:
            raise
        except Exception as error:
            raise SpeechError(f'transformers cannot load {model!r}: {type(error).__name__}: {error}') from error

    @property
    def name(self) -> str:
        return f'transformers:{self._spec}'

    def transcribe(self, samples: Samples) -> Transcript:
        started_s = time.monotonic()
        try:
            text, sure = self._generate((samples / FULL_SCALE).astype(np.float32))
        except Exception as error:
            raise SpeechError(f'{self.name} failed: {type(error).__name__}: {error}') from error
        return Transcript(text.strip(), sure, self._language, time.monotonic() - started_s)

    def close(self) -> None:
        del self._model

    def _generate(self, sound: Any) -> tuple[str, float]:
        features = self._processor(sound, sampling_rate=RATE_HZ, return_tensors='pt').input_features
        multilingual = getattr(self._model.generation_config, 'is_multilingual', False)
        chosen = {'language': self._language, 'task': 'transcribe'} if multilingual and self._language else {}
        with self._torch.inference_mode():
            made = self._model.generate(
                features.to(self._device, self._dtype),
                max_new_tokens=MOST_TOKENS,
                do_sample=False,
                num_beams=1,
                return_dict_in_generate=True,
                output_scores=True,
                **chosen,
            )
        tokens = made.sequences[0]
        written = tokens[len(tokens) - len(made.scores) :]
        # Mean probability of the generated tokens; the special tokens before them were given.
        sums = [
            float(self._torch.log_softmax(step[0].float(), dim=-1)[token])
            for step, token in zip(made.scores, written, strict=True)
        ]
        sure = float(np.exp(np.mean(sums))) if sums else 0.0
        return str(self._processor.decode(tokens.tolist(), skip_special_tokens=True)), sure
