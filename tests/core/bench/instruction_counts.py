#!/usr/bin/env python3
"""Instructions that each hot kernel executes, counted by callgrind, against the record beside this file.

    instruction_counts.py PROGRAM ISA            compare, within 2 %
    instruction_counts.py PROGRAM ISA --update   write the record anew, after a look at the difference

Counts do not depend on how busy a machine is, so a slower loop is seen where a clock would see noise. They depend on the compiler:
the record says which one it is of, and another one is skipped (exit status 77).
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

RECORD = pathlib.Path(__file__).with_name("instruction_counts.json")
TOLERANCE = 0.02


def compiler():
    text = subprocess.run(["c++", "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout
    return text.splitlines()[0].split(" ")[-1].rsplit(".", 1)[0]


def counts(program, isa):
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "out"
        done = subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", program, isa], stderr=subprocess.PIPE, text=True)
        if done.returncode:
            sys.exit(f"callgrind ended with {done.returncode}:\n{done.stderr[-2000:]}")
        found = {}
        for part in pathlib.Path(folder).iterdir():
            text = part.read_text()
            name = re.search(r"^desc: Trigger: Client Request: (\S+)$", text, re.M)
            total = re.search(r"^(?:summary|totals): (\d+)", text, re.M)
            if name and total:
                found[name[1]] = int(total[1])
        return found


def main():
    program, isa = sys.argv[1:3]
    record = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    if "--update" not in sys.argv and record.get("compiler") != compiler():
        print(f"skipped: the record is of g++ {record.get('compiler')}, this is {compiler()}")
        return 77
    now = counts(program, isa)
    if "--update" in sys.argv:
        record["compiler"] = compiler()
        record[isa] = dict(sorted(now.items()))
        RECORD.write_text(json.dumps(record, indent=1) + "\n")
        print(f"{len(now)} counts written")
        return 0
    then, bad = record.get(isa, {}), 0
    for name in sorted(set(then) | set(now)):
        if name not in now or name not in then:
            print(f"{name}: {'not measured' if name in then else 'not on record; run with --update'}")
            bad += 1
            continue
        change = now[name] / then[name] - 1 if then[name] else float(now[name] != 0)
        if abs(change) > TOLERANCE:
            print(f"{name}: {now[name]} instructions, {change:+.1%} of {then[name]}")
            bad += 1
    print(f"{isa}: {len(now)} kernels, {bad} outside {TOLERANCE:.0%}")
    return 1 if bad else 0


sys.exit(main())
