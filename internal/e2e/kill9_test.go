package e2e

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"nightporter/simulator"
)

// binary builds the program as its users have it.
func binary(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "nightporter")
	cmd := exec.Command("go", "build", "-o", path, "nightporter/cmd/nightporter")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build the program: %v\n%s", err, out)
	}
	return path
}

// victim is a house whose program is killed.
type victim struct {
	*house
	binary, config string
	each           int // records that only one side has, each way
}

const killSettle = 500 * time.Millisecond // the simulator applies a late write well before

func newVictim(t *testing.T, binary string, each int) *victim {
	t.Helper()
	h := newHouse(t, simulator.Options{})
	h.edit("settle: 1ms", "settle: "+killSettle.String())
	h.exec(`WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?)
		INSERT INTO guests (first_name, last_name, phone, email, country)
		SELECT 'Guest' || i, 'Bianchi', printf('+39055%07d', i), 'guest' || i || '@example.com', 'IT' FROM n`, each)
	for i := range each {
		h.sim.Put("contacts", map[string]any{
			"first_name": fmt.Sprintf("Caller%d", i), "last_name": "Rossi",
			"phone_number": fmt.Sprintf("+39055%07d", 1_000_000+i), "email": fmt.Sprintf("caller%d@example.com", i),
		})
	}
	v := &victim{house: h, binary: binary, config: filepath.Join(h.dir, "nightporter.yaml"), each: each}
	h.write(v.config, h.config)
	return v
}

// sync runs the program and kills it after a while; without one it may finish. It
// reports whether it was killed.
func (v *victim) sync(after time.Duration) (wasKilled bool) {
	v.t.Helper()
	_, wasKilled = v.live(after, 0, "sync", "--yes")
	return wasKilled
}

// live runs a command and kills it after a while; without one it may finish, with exit
// code 0 or the one that is good, too. It gives what was printed for a script and
// reports whether it was killed.
func (v *victim) live(after time.Duration, good int, args ...string) (printed []byte, wasKilled bool) {
	v.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if after > 0 {
		defer time.AfterFunc(after, cancel).Stop()
	}
	var out, said bytes.Buffer
	cmd := exec.CommandContext(ctx, v.binary, append(args, "--json", "--config", v.config)...) // a done context kills, with SIGKILL
	cmd.Stdout, cmd.Stderr = &out, &said
	err := cmd.Run()
	switch code := cmd.ProcessState.ExitCode(); { // nil of a program that could not be started says -1
	case code == 0, code == good: // the kill may have come a moment late
		return out.Bytes(), false
	case code == -1 && ctx.Err() != nil:
		return nil, true
	}
	v.t.Fatalf("%s: %v\n%s%s", strings.Join(args, " "), err, out.String(), said.String())
	return nil, false
}

// finish lets the program come to rest and compares.
func (v *victim) finish(want []string) {
	v.t.Helper()
	for range 20 {
		before := v.sim.Counts().Mutating
		rows := v.one(`SELECT count(*) || '.' || sum(version) FROM guests`)
		v.sync(0)
		if v.sim.Counts().Mutating == before && v.one(`SELECT count(*) || '.' || sum(version) FROM guests`) == rows &&
			v.sim.Len("contacts") == 2*v.each {
			break
		}
		time.Sleep(killSettle) //nolint:forbidigo // what was sent last must have settled
	}
	if got := v.all(); !slices.Equal(got, want) {
		v.t.Errorf("after the kills both sides hold %d records, an undisturbed sync leaves %d; the first difference: %s", len(got), len(want), differ(got, want))
	}
	for _, q := range []string{
		`SELECT count(*) FROM (SELECT phone FROM guests GROUP BY phone HAVING count(*) > 1)`,
		`SELECT count(*) FROM (SELECT external_ref FROM guests WHERE external_ref IS NOT NULL GROUP BY external_ref HAVING count(*) > 1)`,
	} {
		if n := v.one(q); n != "0" {
			v.t.Errorf("%s: %s, want 0", q, n)
		}
	}
}

// all is every record of both sides, sorted, without ids and marks.
func (v *victim) all() []string {
	v.t.Helper()
	var out []string
	for _, r := range v.sim.All("contacts") {
		out = append(out, fmt.Sprintf("contact %v %v %v %v", r["phone_number"], r["first_name"], r["last_name"], r["email"]))
	}
	out = append(out, v.column(`SELECT 'guest ' || coalesce(phone, '-') || ' ' || first_name || ' ' || last_name || ' ' || coalesce(email, '-') FROM guests`)...)
	slices.Sort(out)
	return out
}

func differ(got, want []string) string {
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			return fmt.Sprintf("%q, want %q", at(got, i), at(want, i))
		}
	}
	return "none"
}

func at(s []string, i int) string {
	if i < len(s) {
		return s[i]
	}
	return ""
}

// spree is kills at random moments, and what they came to.
type spree struct {
	rng            *rand.Rand
	done, finished int // lives that were killed, and that ended before
	left           int // kills that are still to be made
}

// moment is when to kill a life that may last so long.
func (s *spree) moment(most time.Duration) time.Duration {
	return max(time.Duration(s.rng.Float64()*float64(most)), time.Millisecond)
}

// count takes note of a life.
func (s *spree) count(wasKilled bool) {
	if !wasKilled {
		s.finished++
		return
	}
	s.done++
	s.left--
}

// lateAnswers has writes be applied after the connection is gone.
func (v *victim) lateAnswers(share float64) {
	v.sim.AddFault(simulator.Fault{Kind: simulator.FaultLateDrop, Method: "write", Probability: share, Delay: killSettle / 5})
}

// Killed with SIGKILL at random moments, the program ends where an undisturbed one ends.
// Half of the kills are in syncs that create records each way, half in those of a
// guarded house. NIGHTPORTER_CRASH_N is the number of kills, then with 1,000 creates
// each way; NIGHTPORTER_CRASH_SEED repeats one.
func TestKill9(t *testing.T) {
	t.Parallel()
	kills, each := 20, 80
	if n, err := strconv.Atoi(os.Getenv("NIGHTPORTER_CRASH_N")); err == nil && n > 0 {
		kills, each = n, 1000
	}
	seed := uint64(time.Now().UnixNano())
	if s, err := strconv.ParseUint(os.Getenv("NIGHTPORTER_CRASH_SEED"), 10, 64); err == nil {
		seed = s
	}
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 9))
	program := binary(t)
	killCreates(t, program, each, &spree{rng: rng, left: kills - kills/2})
	killGuarded(t, program, &spree{rng: rng, left: kills / 2})
}

// killCreates kills syncs that create records each way.
func killCreates(t *testing.T, program string, each int, s *spree) {
	t.Helper()
	undisturbed := newVictim(t, program, each)
	begun := time.Now()
	undisturbed.sync(0)
	whole := time.Since(begun)
	want := undisturbed.all()
	if len(want) != 4*each {
		t.Fatalf("undisturbed, both sides hold %d records, want %d", len(want), 4*each)
	}
	undisturbed.finish(want)

	houses, perHouse := 0, min(10, s.left/2)
	begun = time.Now()
	for s.left > 0 {
		v := newVictim(t, program, each)
		if houses%2 == 1 {
			v.lateAnswers(0.01)
		}
		houses++
		for range min(perHouse, s.left) {
			s.count(v.sync(s.moment(whole * 3 / 10))) // startup and lists come first in each life, then a share of the creates
		}
		v.sim.ClearFaults()
		v.finish(want)
		v.db.Close()
	}
	t.Logf("%d kills in %d houses of %d creates each way (%d lives ended before their kill) in %s; undisturbed %s",
		s.done, houses, each, s.finished, time.Since(begun).Round(time.Millisecond), whole.Round(time.Millisecond))
}
