"""The child process that fills a Ladybug file: on a full disk the engine ends the process that it runs in.

It is run as a script, with the settings of `exports.query.engine_process` in its argument and the statements as JSON on
standard input: text and parameters of each. On standard output it writes an empty line for each statement that is done,
and then ``end``; or the message of an error instead of any of them.
"""

from __future__ import annotations

import json
import os
import sys


def main() -> None:
    """Open the file of the settings, run the statements and close it."""
    settings = json.loads(sys.argv[1])
    answers = os.fdopen(os.dup(1), "wb", 0)
    os.dup2(2, 1)  # Output of the engine must not be taken for an answer.
    sys.path[:] = settings["path"]
    try:
        from exports.query.confined_child import end_with_parent

        end_with_parent(settings["parent"])
        import ladybug

        # With a buffer pool of a fixed size, graphs of some ten million relations fail to load.
        database = ladybug.Database(settings["store"])
        opened = ladybug.Connection(database)
        for text, parameters in json.load(sys.stdin.buffer):
            opened.execute(text, parameters)
            answers.write(b"\n")
        opened.close()
        database.close()
        answers.write(b"end\n")
    except BaseException as error:  # noqa: BLE001
        first = str(error).partition("\n")[0]
        # The message begins with advice on recovery, but the caller removes the file.
        answers.write(first.rpartition("recovered on restart: ")[2].encode())
        # Without the destructors of the engine: after an error they may write again, and abort.
        os._exit(1)


if __name__ == "__main__":
    main()
