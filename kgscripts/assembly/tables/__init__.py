"""The tables between records and relations: names, mentions, segments, steps, their order and similar steps."""
