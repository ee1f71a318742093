"""The rules of relations: which cases support each, and what people and networks say of them."""
