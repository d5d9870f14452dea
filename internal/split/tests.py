#!/usr/bin/env python3
"""Moves the tests inside of package engine to the rooms. tests.py TREE SPLITBIN"""
import os, re, subprocess, sys

gi = []
tree = sys.argv[1] + "/sync/"
words = {  # in every test
    r"\bbriefOf\b": "run.BriefOf", r"\bcandidate\b(?!s)": "run.Candidate", r"\bseenSide\b": "run.SeenSide", r"\bresolution\b": "run.Resolution",
    r"\bbrief: ": "Brief: ", r"\.ref\.ID": ".Ref.ID", r"\bs\.keys\b": "s.Keys",
    r"(?<![\w.])Job\b(?!:)": "run.Job", r"(?<![\w.])Reference\{": "run.Reference{", r"\[\]Reference\b": "[]run.Reference", r"(?<![\w.])Options\{": "run.Options{",
    r"(?<![\w.])Store$": "run.Store", r"struct\{ Store \}": "struct{ run.Store }", r"(?<![\w.])Window\{": "run.Window{", r"(?<![\w.])Booking\{": "run.Booking{",
    r"Job\{(?=[A-Za-z])": "Job{",
}
rooms = {
    "another": ("run", {r"becameAnother": "BecameAnother"}),
    "asked": ("engine", {r"// Bookings are": "// askFor is how far back the first run asks, as package door has it.\nconst askFor = 2 * time.Minute\n\n// Bookings are"}),
    "doubted": ("links", {r"&run\{job: ": "&Room{Run: &run.Run{Job: ", r"Mapping: m\}\}\n": "Mapping: m}}}\n"}),
    "foreign": ("trust", {r"&run\{job: &run.Job\{\}\}": "&Room{Run: &run.Run{Job: &run.Job{}}}"}),
    "mostly": ("match", {r"&run\{job: &run.Job\{Mapping: m\}\}": "&Room{Run: &run.Run{Job: &run.Job{Mapping: m}}}", r"r\.mostly": "r.Mostly"}),
    "never": ("guards", {}),
    "older": ("trust", {}),
    "pair": ("links", {
        r"&run\{House: &House\{\}, job: (.*)\}\n": r"&Room{Run: &run.Run{House: &run.House{}, Job: \1}}\n\tr.refer = refer.New(r.Run, nil)\n", r"\.since = ": ".Since = ", r"\.open = ": ".Open = ",
        r"standing: waiting, wait: ": "Standing: refer.Waiting, Wait: ", r"standing: held, wait: ": "Standing: refer.Held, Wait: ", r"newCase": "NewCase",
        r"ws\[0\]\.entry\.num": "ws[0].Entry.Num", r"ws\[0\]\.on": "ws[0].On",
    }),
    "permit": ("proof", {
        r"newRun\(&Engine\{House\{Store: (.*?)\}\}, job, record\.Lease\{\}, run\.Options\{\}\)": r"ofStore(\1, job)",
        r"r\.now\b": "r.Now", r"r\.firstSeen": "r.FirstSeen", r"r\.begun\b": "r.observe.Begun",
    }),
    "resolve": ("refer", {
        r"r\.job\.": "r.Job.", r"r\.sideOf": "r.SideOf", r"r\.valuesOf": "r.observe.ValuesOf", r"r\.trials\.beside = map\[trialAt\]bool\{\{\"one\", e\.Ref\}: true\}": 'r.Trials.Beside = map[run.TrialAt]bool{{System: "one", Ref: e.Ref}: true}',
        r"unnamed\(": "run.Unnamed(", r"\*run, \*mapping": "*Room, *mapping",
        r"\te := &Engine\{House\{(.*)\}\}\n": r"\thouse := &run.House{\1}\n",
        r"return newRun\(e, (.*), record\.Lease\{\}, run\.Options\{\}\), m": r"base := run.New(house, \1, record.Lease{}, run.Options{})\n\treturn New(base, observe.New(base, trust.New(base, findings.New(base)))), m",
    }),
    "samehalts": ("trust", {}),
    "witness": ("trust", {r"&run\{House: &House\{Store: s\}, job: (&run\.Job\{.*?\})\}": r"&Room{Run: &run.Run{House: &run.House{Store: s}, Job: \1}}", r"r\.drawn": "r.Drawn"}),
    "match": ("match", {r"\bmatch\(\[": "Match([", r"standFor": "StandFor", r"\[\]fate\b": "[]Fate", r"\bf\.with\b": "f.With", r"\bf\.held\b": "f.Held", r"\bf\.attached\b": "f.Attached"}),
}
for name, (pkg, own) in rooms.items():
    src = tree + f"engine/{name}_test.go"
    s = open(src).read()
    for a, b in words.items():
        if pkg == "run":
            b = b.replace("run.", "")
        if pkg == "engine":
            continue
        s = re.sub(a, b, s, flags=re.M)
    for a, b in own.items():
        s, n = re.subn(a, b, s)
        if n == 0:
            print(name, "nothing to replace:", a)
    s = s.replace("package engine", "package " + pkg, 1)
    open(src, "w").write(s)
    if pkg != "engine":
        os.rename(src, tree + f"{pkg}/{name}_test.go")

    if pkg == "proof":
        s = open(tree + "proof/permit_test.go").read()
        s += """
// ofStore is a run of a job whose store is given.
func ofStore(store run.Store, job *run.Job) *Room {
	base := run.New(&run.House{Store: store}, job, record.Lease{}, run.Options{})
	t := trust.New(base, findings.New(base))
	o := observe.New(base, t)
	refs := refer.New(base, o)
	return New(base, match.New(base, refs, o), refs, o, t)
}
"""
        open(tree + "proof/permit_test.go", "w").write(s)
    s = open(tree + f"{pkg}/{name}_test.go").read()
    if pkg != "engine":
        s = s.replace("import (", "import (\n" + "".join(f'\t"nightporter/sync/{x}"\n' for x in ["run", "findings", "trust", "observe", "refer", "match"] if x != pkg), 1)
        open(tree + f"{pkg}/{name}_test.go", "w").write(s)
    gi.append(tree + f"{pkg}/{name}_test.go")
subprocess.run([sys.argv[2], "imports", *gi], check=True)
