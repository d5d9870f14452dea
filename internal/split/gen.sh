. /tmp/w/env.sh
cd /tmp/w/gen && git checkout -q . && git clean -fdq sync internal && cd /tmp/w/t19 && nice -n 19 go vet ./sync/engine && nice -n 19 go build -o /tmp/w/splitbin ./internal/split || exit 1
/tmp/w/splitbin /tmp/w/rooms2.txt > /tmp/w/check.txt 2>&1; head -5 /tmp/w/check.txt
find /tmp/w/gen/sync/engine -name '*.go' ! -name '*_test.go' -delete
/tmp/w/splitbin /tmp/w/rooms2.txt generate /tmp/w/gen/sync > /tmp/w/gen.txt 2>&1; grep "gen/sync" /tmp/w/gen.txt | head
cd /tmp/w/gen; for p in run findings trust observe refer match proof guards trials settle links gone door decide takeback engine; do nice -n 19 go build -gcflags=-e ./sync/$p > /tmp/w/build.txt 2>&1 || { echo "== $p $(wc -l < /tmp/w/build.txt)"; head -${1:-40} /tmp/w/build.txt; break; }; done
for f in $(grep -l "^package engine$" /tmp/w/gen/sync/engine/*_test.go); do mv $f /tmp/w/internaltests/; done
