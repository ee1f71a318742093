"""The spaCy pipeline that ships: training data, training and packaging."""
