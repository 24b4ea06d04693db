"""Runs the commands of REPL transcripts and compares what the interpreter shows with their text.

Usage: run_transcripts.py FILE. The file holds transcripts, each followed by a byte 0x1E. Every
command is compiled in mode "single", as the interactive interpreter does, and runs in a namespace
of the transcript's own. Prints how many agree; on the first that does not, prints both and ends
with status 1.
"""
import functools
import sys

PROMPT = ">>> "


class Capture:
    """Collects what is printed."""

    def __init__(self):
        self.parts = []
        self.write = self.parts.append

    def flush(self):
        pass


@functools.lru_cache(maxsize=100_000)
def code_of(command):
    return compile(command, "<stdin>", "single")


def session(commands):
    """The text of an interactive session that is given these commands."""
    capture = Capture()
    namespace = {"__name__": "__console__"}
    sys.stdout = capture
    try:
        for command in commands:
            capture.parts += (PROMPT, command, "\n")
            exec(code_of(command), namespace)
    finally:
        sys.stdout = sys.__stdout__
    return "".join(capture.parts)


def main():
    with open(sys.argv[1], encoding="utf-8", newline="") as file:
        texts = file.read().split("\x1e")[:-1]
    for text in texts:
        commands = [line[len(PROMPT):] for line in text.splitlines() if line.startswith(PROMPT)]
        shown = session(commands)
        if shown != text:
            print(f"transcript:\n{text}\npython shows:\n{shown}")
            return 1
    print(f"{len(texts)} agree")
    return 0


if __name__ == "__main__":
    sys.exit(main())
