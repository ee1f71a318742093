"""KidsCook: texts written for children, aligned with texts written for adults, and models that fill blanks."""
