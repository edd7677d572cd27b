"""Reading English for the network: words, sentences, questions, and the concepts in them."""
