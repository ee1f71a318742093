"""The rules of relations: the cases that support each, and how corrections and enrichers change them."""
