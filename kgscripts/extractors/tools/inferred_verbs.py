"""The verbs and places by which `kgscripts.extractors.tools.inferred_tools` infers a tool. Written for kgscripts."""

from __future__ import annotations

ADDING = frozenset({"add", "return", "incorporate", "sprinkle", "drizzle", "scatter", "dot", "crack", "drop"})
"""Verbs of putting a thing to what is there."""
POURING = frozenset({"pour", "tip", "spoon", "ladle", "scrape", "transfer", "place", "put", "lay", "arrange"})
"""Verbs of putting a thing to what another phrase says."""
MIXING = frozenset({"mix", "whisk", "beat", "combine", "fold", "cream", "whip", "knead", "sift", "soak", "marinate"})
"""Verbs of work in a vessel; with new things, it is another vessel."""
STIRRING = frozenset({"stir", "season", "toss", "cover", "uncover", "top", "flip", "turn", "baste"})
SIMMERING = frozenset(
    {"simmer", "boil", "fry", "saute", "sauté", "sear", "brown", "cook", "melt", "reduce", "thicken", "poach", "steam"}
    | {"stew", "braise", "sweat", "soften", "caramelize", "caramelise", "heat", "warm", "toast", "blanch", "parboil"}
    | {"scramble", "bring", "deglaze", "stir-fry"}
)
"""Verbs of work in a vessel on a stove."""
FRYING = frozenset({"fry", "saute", "sauté", "brown", "sear", "cook", "sweat", "soften", "toast", "scramble"})
"""Those that are done in the fat that was heated."""
BAKING = frozenset({"bake", "roast", "broil", "grill"})
OVENS = {
    "bake": frozenset({"oven"}),
    "roast": frozenset({"oven"}),
    "broil": frozenset({"oven", "broiler", "grill"}),
    "grill": frozenset({"grill", "barbecue", "griddle"}),
}
"""The appliances in which the verbs of baking are done."""
BLENDING = frozenset({"blend", "puree", "purée", "process", "pulse", "liquidise", "liquidize", "blitz"})
BLENDERS = frozenset({"blender", "processor", "liquidiser"})
HOT_PLACES = frozenset(
    {"pan", "pot", "skillet", "saucepan", "wok", "stockpot", "kettle", "griddle", "cooker", "fryer", "oven", "tagine"}
    | {"casserole", "crockpot", "frypan"}
)
BAKING_PLACES = frozenset(
    {"dish", "tin", "tray", "sheet", "pan", "casserole", "ramekin", "skillet", "mold", "mould", "cake", "loaf"}
    | {"muffin", "baking", "roasting", "springform", "bundt"}
)
KEEPING_OUT = frozenset(
    {"plate", "platter", "rack", "board", "towel", "colander", "sieve", "strainer", "fridge", "refrigerator", "freezer"}
    | {"glass", "mug", "container", "jar", "sink"}
)
"""Places in which a thing is kept, drained or served, and no longer worked on."""
ENDING = POURING | frozenset(
    {"remove", "drain", "strain", "serve", "take", "lift", "divide", "plate", "scoop", "set", "refrigerate", "chill"}
    | {"freeze", "roll", "shape", "form", "spread", "fill", "stuff", "make", "prepare", "garnish", "store", "cool"}
    | {"press", "brush", "wash", "rinse", "ice", "frost"}
)
"""Verbs after which the thing is no longer there."""
EMPTYING = frozenset(
    {"drain", "empty", "rinse", "wash", "clean", "serve", "set", "refrigerate", "chill", "cool", "store"}
)
"""Verbs after which a vessel that is their object is no longer worked in."""
