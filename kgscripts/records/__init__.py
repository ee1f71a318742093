"""The record store: the records of every extractor for every document, in one Arrow table for each kind of record."""
