"""From text to sound: speech synthesis, the queue of sentences to speak, and playback."""
