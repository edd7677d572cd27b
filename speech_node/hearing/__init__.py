"""From sound to text: audio sources, echo cancellation, stop word, voice activity, segmentation and transcription."""
