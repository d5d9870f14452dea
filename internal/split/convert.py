#!/usr/bin/env python3
"""Re-targets the mutants of sync/engine: each is planted in the package as it stands, that is split, and the
difference to the split of the package without it is the new patch.

convert.py SPLITBIN ROOMS ENGINE_DIR PATCH_DIR OUT_DIR   (run in the module's folder, after `go build -o SPLITBIN ./internal/split`)
"""
import difflib, glob, os, re, shutil, subprocess, sys, tempfile

binary, rooms, engine, patches, out = sys.argv[1:6]
work = tempfile.mkdtemp()

os.makedirs(work + "/base")
for f in glob.glob(engine + "/*.go"):
    if not f.endswith("_test.go"):
        shutil.copy(f, work + "/base/")
server = subprocess.Popen([binary, rooms, "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

def split(src, dst):
    os.makedirs(dst, exist_ok=True)
    server.stdin.write(f"{src} {dst}\n")
    server.stdin.flush()
    said = []
    while True:
        line = server.stdout.readline()
        if line.startswith(("done", "error")):
            return line.startswith("done"), line
        said.append(line)

def tree(d):
    return {os.path.relpath(p, d): open(p).read() for p in glob.glob(d + "/**/*.go", recursive=True)}

ok, line = split(work + "/base", work + "/out0")
assert ok, line
base = tree(work + "/out0")
for p in sorted(glob.glob(patches + "/*.patch")):
    text = open(p).read()
    if "--- a/sync/engine/" not in text:
        continue
    name = os.path.basename(p)
    head, diff = text[: text.index("\n--- ") + 1], text[text.index("\n--- ") + 1 :]
    parts = re.split(r"(?m)^(?=--- a/)", diff)
    others = [x for x in parts if x and not x.startswith("--- a/sync/engine/")]
    d = f"{work}/{name}"
    shutil.copytree(work + "/base", d + "/in")
    mine = "".join(x for x in parts if x.startswith("--- a/sync/engine/"))
    # hunks without right numbers: replaced as text
    good = True
    for part in re.split(r"(?m)^(?=--- a/)", mine):
        if not part:
            continue
        file = re.match(r"--- a/sync/engine/(\S+)", part).group(1)
        body = open(f"{d}/in/{file}").read()
        for h in re.split(r"(?m)^@@.*@@.*\n", part)[1:]:
            lines = [l for l in h.split("\n") if l != ""] if not h.endswith("\n") else h.split("\n")[:-1]
            old = "\n".join(l[1:] for l in lines if not l.startswith("+"))
            new = "\n".join(l[1:] for l in lines if not l.startswith("-"))
            if body.count(old) < 1:
                print(name, "does not apply:", file)
                good = False
                continue
            body = body.replace(old, new, 1)
        open(f"{d}/in/{file}", "w").write(body)
    if not good:
        continue
    ok, line = split(d + "/in", d + "/out")
    if not ok:
        print(name, "does not build:", line.strip())
        continue
    now = tree(d + "/out")
    new = ""
    for f in sorted(set(base) | set(now)):
        if f.endswith("room.go") or base.get(f) == now.get(f):
            continue
        new += "".join(difflib.unified_diff(base.get(f, "").splitlines(True), now.get(f, "").splitlines(True), f"a/sync/{f}", f"b/sync/{f}", n=3))
    if not new:
        print(name, "changes nothing")
        continue
    open(os.path.join(out, name), "w").write(head + "".join(others) + new)
    shutil.rmtree(d)
print("converted")
