"""Training of the word-level networks over pairs: transducer, language model, sequence to sequence."""
