"""Texts that are no prose, and prose that looks like none, written for the tests of `kgscripts.corpora.text_kinds`."""

from __future__ import annotations

import json

from schemas.records import DiscardReason as R

_STEPS = ["Fill the kettle with water.", "Boil the water.", "Pour it into the cup."]

OTHER: dict[str, tuple[R, str]] = {
    "CSV with a header": (
        R.TABLE,
        "scenario,step_no,step\nmake coffee,1,grind the beans\nmake coffee,2,boil\nmake coffee,3,pour the water\n",
    ),
    "CSV without a header": (R.TABLE, "make coffee,1,grind the beans\nmake coffee,2,boil\nmake coffee,3,pour\n"),
    "CSV of two columns": (R.TABLE, "scenario,step\nmake coffee,grind the beans\nmake coffee,boil water\n"),
    "CSV with spaces": (R.TABLE, "name, amount, unit\nflour, 200, g\nsugar, 100, g\nmilk, 2, cups\n"),
    "CSV with quotes": (R.TABLE, 'id,text\n1,"Wash the car, then dry it."\n2,"Park the car, lock it."\n'),
    "CSV with semicolons": (R.TABLE, "step;tool;minutes\nboil water;kettle;3\nsteep tea;cup;4\nadd milk;spoon;1\n"),
    "TSV of four columns": (R.TABLE, "id\tname\tstep\ttool\n1\ttea\tboil\tkettle\n2\ttea\tpour\tcup\n"),
    "TSV with numbers": (R.TABLE, "make tea\t1\tboil the water\nmake tea\t2\tpour the water\nmake tea\t3\tdrink\n"),
    "a Markdown table": (
        R.TABLE,
        "| tea | heat | pot |\n|---|---|---|\n| black | 95 | pot |\n| green | 80 | cup |\n",
    ),
    "JSON": (R.CODE, json.dumps({"title": "Make tea", "steps": _STEPS}, indent=2)),
    "a JSON array": (R.CODE, json.dumps([{"id": n, "step": step} for n, step in enumerate(_STEPS)], indent=1)),
    "JSON lines": (R.CODE, "\n".join(json.dumps({"id": n, "text": step}) for n, step in enumerate(_STEPS))),
    "minified JSON": (R.CODE, json.dumps([{"id": n, "step": step} for n, step in enumerate(_STEPS)])),
    "YAML": (
        R.CODE,
        "version: 2\nservices:\n  web:\n    image: nginx:2\n    ports:\n      - 80:80\n  db:\n    image: tea/db\n",
    ),
    "settings": (
        R.CODE,
        "[tool.coffee]\nstrength = 3\nmilk = true\n# sweet\nsugar = false\n\n[tool.tea]\nminutes = 4\n",
    ),
    "minified JavaScript": (
        R.CODE,
        "!function(e,t){'object'==typeof exports?module.exports=t():e.lib=t()}(this,function(){var n={};return n.a=1,"
        "n.b=function(e){for(var t=0;t<e.length;t++)e[t]&&e[t].call(this)},n});",
    ),
    "JavaScript": (
        R.CODE,
        "import { brew } from './coffee';\n\nconst cups = 2;\nexport function make(kind) {\n  if (kind === 'tea') {\n"
        "    return boil(cups);\n  }\n  return brew(kind, cups);\n}\n",
    ),
    "CSS": (
        R.CODE,
        "body {\n  margin: 0;\n  font-family: sans-serif;\n}\n\n.recipe > h2 {\n  color: #333;\n  padding: 4px;\n}\n",
    ),
    "Python": (
        R.CODE,
        "import time\n\n\ndef boil(water, minutes=3):\n    for _ in range(minutes):\n        time.sleep(60)\n"
        "    water.hot = True\n    return water\n\n\nif __name__ == '__main__':\n    boil(Water())\n",
    ),
    "Java": (
        R.CODE,
        "package kitchen;\n\npublic class Kettle {\n    private int minutes = 3;\n\n    public void boil() {\n"
        "        for (int i = 0; i < minutes; i++) {\n            heat();\n        }\n    }\n}\n",
    ),
    "C": (
        R.CODE,
        '#include <stdio.h>\n\nint main(void) {\n    int cups = 2;\n    printf("%d\\n", cups);\n    return 0;\n}\n',
    ),
    "SQL": (
        R.CODE,
        "CREATE TABLE steps (id INTEGER, step TEXT);\nINSERT INTO steps VALUES (1, 'boil water');\n"
        "SELECT step FROM steps WHERE id = 1;\n",
    ),
    "an Apache log": (
        R.LOG,
        '192.0.2.7 - - [12/Mar/2024:10:00:01 +0000] "GET /tea.html HTTP/1.1" 200 5120 "-" "Mozilla/5.0"\n'
        '192.0.2.8 - bob [12/Mar/2024:10:00:04 +0000] "GET /cup.png HTTP/1.1" 404 196 "-" "curl/8.0"\n'
        '192.0.2.7 - - [12/Mar/2024:10:00:09 +0000] "POST /order HTTP/1.1" 302 0 "-" "Mozilla/5.0"\n',
    ),
    "a log of a server": (
        R.LOG,
        "2024-03-12 10:00:01,123 INFO server Started the worker\n2024-03-12 10:00:02,004 WARN pool Queue is full\n"
        "2024-03-12T10:00:03Z ERROR pool Worker died\n[INFO] Restarting the worker\n",
    ),
    "a system log": (
        R.LOG,
        "Mar 12 10:00:01 host sshd[812]: Accepted key for ann\nMar 12 10:00:02 host systemd[1]: Started session 4.\n"
        "Mar 12 10:00:07 host cron[99]: (root) CMD run-parts\n",
    ),
    "a stack trace of Python": (
        R.LOG,
        'Traceback (most recent call last):\n  File "/srv/app.py", line 12, in <module>\n    main()\n'
        '  File "/srv/app.py", line 8, in main\n    boil(None)\nTypeError: boil() needs water\n',
    ),
    "a stack trace of Java": (
        R.LOG,
        'Exception in thread "main" java.lang.IllegalStateException: dry\n\tat kitchen.Kettle.boil(Kettle.java:12)\n'
        "\tat kitchen.Main.main(Main.java:5)\nCaused by: java.io.IOException: closed\n\t... 2 more\n",
    ),
    "LaTeX": (
        R.MARKUP,
        "\\documentclass{article}\n\\begin{document}\n\\section{Tea}\nFill the kettle with water and boil it.\n"
        "\\begin{itemize}\n\\item Pour the water.\n\\item Drink.\n\\end{itemize}\n\\end{document}\n",
    ),
    "a web page": (
        R.MARKUP,
        "<!DOCTYPE html>\n<html>\n<head><title>Tea</title></head>\n<body>\n<h1>How to make tea</h1>\n\n"
        "<p>Fill the kettle with water.</p>\n\n<p>Boil it.</p>\n</body>\n</html>\n",
    ),
    "a part of a web page": (
        R.MARKUP,
        '<div class="steps">\n<ol>\n<li>Fill the kettle with water.</li>\n<li>Boil the water.</li>\n'
        "<li>Pour it into the cup.</li>\n</ol>\n</div>\n",
    ),
    "HTML in one line": (
        R.MARKUP,
        "<ul><li><b>Fill</b> the kettle.</li><li><b>Boil</b> the water.</li><li><i>Pour</i> it.</li></ul>",
    ),
    "XML": (R.MARKUP, '<?xml version="1.0"?>\n<recipe>\n<step n="1">Boil the water.</step>\n</recipe>\n'),
}
"""The texts that are set aside, by a name, with the reason."""

PROSE: dict[str, str] = {
    "one tag": "<sighs> I ran to the shop and bought some milk.",
    "inline HTML": "# Making tea\n\n1. Fill the <b>kettle</b> with water.<br>\n2. Boil the water for 3 minutes.<br/>\n"
    "3. Pour it into the <i>cup</i>, and wait until the tea is dark.\n",
    "one code block": "# Making tea\n\n1. Fill the kettle.\n2. Start it:\n\n```python\nimport kettle\n\n"
    "kettle.on()\nfor i in range(3):\n    kettle.wait(60)\nkettle.off()\n```\n\n3. Pour the water into the cup.\n",
    "a table of steps": "| step | tool |\n|------|------|\n| boil water | kettle |\n| pour tea | cup |\n",
    "one table": "# Baking bread\n\n| flour | water | salt |\n|---|---|---|\n| 500 g | 300 g | 10 g |\n\n"
    "1. Mix everything in a large bowl.\n2. Knead the dough for ten minutes.\n3. Bake the bread in the oven.\n",
    "decimal commas": "1,5 kg potatoes\n0,5 l milk\n2,5 tsp salt\n",
    "commas": "First, boil the water.\nThen, add the pasta.\nFinally, drain it.\n",
    "commas without spaces": "I rose,then I bathed.\nI dressed,then I ate.\nI left,then I drove.\n",
    "semicolons": "Preheat the oven;\nMix the flour and the eggs (large ones);\nBake the cake;\n",
    "lists with colons": "ingredients:\n- 2 eggs\n- flour\n- pinch of salt\nsteps:\n- beat the eggs\n- add the flour\n",
    "a conversation": "anna: i went to the shop\nben: what did you buy\nanna: milk and eggs\nben: then we can bake\n",
    "times of a chat": "[10:02] anna: so i made coffee\n[10:03] anna: and then i burnt my hand\n[10:05] ben: oh no\n",
    "facts of a recipe": "Serves: 4\nPrep time: 10 min\nCook time: 1 h\n\nBoil the potatoes. Mash them with butter.\n",
    "steps that begin like code": "For the sauce (optional):\nreturn the pan to the heat\nlet it rest (5 min)\n"
    "while it rests, wash up\nimport duty is included\nuse the spoon; stir\n",
    "emoticons": "i made tea :) it was great <3 and then i spilt it :( =) ;)\nso i cleaned the table (twice!) :D\n",
    "pairs": "Boil pasta\tFill a pot with water. Boil it.\nServe\tPut the pasta on a plate.\nWash up\tWash the pot.\n",
    "cloze templates": "boil it\tput it in water\t1 1 0 0\nserve\tuse a plate\t1 1 0\ncut\tuse a knife\t0 1 1\n",
    "prose with a URL": "I looked at <https://example.org/tea> and then I boiled the water.",
    "brackets": "[Music] so today I will make tea [laughs] I fill the kettle [pours water] and I switch it on\n",
    "steps in capitals": "ERROR: the oven is cold\nHEAT THE OVEN\nMIX THE DOUGH\nBAKE IT\n",
    "blank": " \n\n",
    "front matter": "---\ntitle: Tea\nscenario: making tea\n---\nBoil the water. Pour it.\n",
}
"""Texts that are read, by a name."""
