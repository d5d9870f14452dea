#!/usr/bin/env python3
"""What is done by hand after the split. finish.py TREE (a checkout in which gen.sh and tests.py have run)"""
import glob, os, re, subprocess, sys

tree = sys.argv[1]
os.chdir(tree)
docs = {
    "run": "Package run is what all parts of a run share: the job and its sides, what the store must keep,\n// the draft of what is to be done, the report, and what can be told of a record without asking anybody.",
    "findings": "Package findings keeps why a record is not written as it should be, from the run that noticed it\n// to the one in which it is over.",
    "trust": "Package trust tells whether a system is the one that we know: the account, a sample of its records,\n// whether it was put back to an older copy, and the halts that a job stands before.",
    "observe": "Package observe reads: lists, single records by their ids, look-ups by keys; and says what is not\n// shown and cannot be told.",
    "refer": "Package refer finds whom a reference means.",
    "match": "Package match pairs records that have no link, and tells which of them may be one that a create\n// without an answer has made.",
    "proof": "Package proof makes sure that a side lacks a record before it is made there.",
    "guards": "Package guards holds back: sets that are too large, what may reach a person, what was refused or\n// rejected; and gives way to what a person decided about a set.",
    "trials": "Package trials sends the first write of each operation as a trial, and looks what came of it.",
    "settle": "Package settle finds out what became of changes that were sent and never answered.",
    "links": "Package links gathers what a link is decided by: both sides, what persons chose, what was put back\n// or done again.",
    "gone": "Package gone decides what becomes of a link of which a record is not there any more.",
    "door": "Package door is the one way out: it makes sure of what must hold, sends one action, and says what\n// the outcome means for the run.",
    "decide": "Package decide makes the plan of a run: links that differ, records without a link, and what is kept\n// of both in the store.",
    "takeback": "Package takeback takes back what an earlier run did, and compares both sides without writing.",
}
eng = subprocess.run(["git", "show", "HEAD:sync/engine/engine.go"], capture_output=True, text=True).stdout
docs["engine"] = eng[len("// ") : eng.index("\npackage engine")]
names = "findings|trust|observe|refer|match|proof|guards|trials|settle|links|gone|door|decide|takeback"
for p, d in docs.items():
    f = f"sync/{p}/room.go"
    s = "// " + d + "\n" + open(f).read()
    s = re.sub(r"// (Run|Room) is the part of a run that this package has\.", "// Run is one run of a job, as all of its rooms see it." if p == "run" else "// Room is what this package keeps during one run.", s)
    open(f, "w").write(re.sub(rf"\b({names})_\b", r"\1", s))
f = "sync/engine/new.go"
s = re.sub(rf"\b({names})_\b", r"\1", open(f).read())
s = s.replace("trial_", "trials").replace("undo_", "takeback")
s = re.sub(r"\tgone\.OfJob = .*\n\treturn r\n}\n", """\tgone.OfJob = e.goneOf(lease, o)
\treturn r
}

// goneOf has another job look at its own links: a record that is gone may be linked there, too.
func (e *Engine) goneOf(lease record.Lease, o run.Options) func(*run.Job) *gone.Room {
\treturn func(other *run.Job) *gone.Room { return newRun(e, other, lease, o).gone }
}
""", s)
open(f, "w").write(s)
moved = {}
for f in glob.glob("sync/*/*_test.go"):
    if subprocess.run(["git", "cat-file", "-e", "HEAD:" + f], capture_output=True).returncode:
        moved[os.path.basename(f)] = f.split("/")[1]
for d in glob.glob("docs/*.md") + glob.glob("docs/adr/*.md"):
    t = o = open(d).read()
    for b, pk in moved.items():
        t = t.replace(f"sync/engine/{b}", f"sync/{pk}/{b}")
    if t != o:
        open(d, "w").write(t)
where = {}
for f in glob.glob("sync/*/*_test.go"):
    for t in re.findall(r"(?m)^func (Test\w+)\(", open(f).read()):
        where[t] = f.split("/")[1]
for p in glob.glob("internal/mutants/*.patch"):
    s = open(p).read()
    m = re.search(r"Killed by: go test \./sync/engine -run \^(\w+)\$", s)
    if m and where[m.group(1)] != "engine":
        open(p, "w").write(s.replace("./sync/engine -run", f"./sync/{where[m.group(1)]} -run", 1))
