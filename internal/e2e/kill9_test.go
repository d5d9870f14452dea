package e2e

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
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
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if after > 0 {
		defer time.AfterFunc(after, cancel).Stop()
	}
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, v.binary, "sync", "--yes", "--config", v.config) // a done context kills, with SIGKILL
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return false
	case errors.As(err, &exit) && exit.ExitCode() == -1 && ctx.Err() != nil:
		return true
	}
	v.t.Fatalf("sync: %v\n%s", err, out.String())
	return false
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

// Killed with SIGKILL at random moments of a sync that creates records each way,
// the program ends where an undisturbed one ends. NIGHTPORTER_CRASH_N is the number
// of kills, then with 1,000 creates each way; NIGHTPORTER_CRASH_SEED repeats one.
func TestKill9(t *testing.T) {
	kills, each := 20, 120
	if n, err := strconv.Atoi(os.Getenv("NIGHTPORTER_CRASH_N")); err == nil && n > 0 {
		kills, each = n, 1000
	}
	seed := uint64(time.Now().UnixNano())
	if s, err := strconv.ParseUint(os.Getenv("NIGHTPORTER_CRASH_SEED"), 10, 64); err == nil {
		seed = s
	}
	rng := rand.New(rand.NewPCG(seed, 9))
	program := binary(t)

	undisturbed := newVictim(t, program, each)
	begun := time.Now()
	undisturbed.sync(0)
	whole := time.Since(begun)
	want := undisturbed.all()
	if len(want) != 4*each {
		t.Fatalf("undisturbed, both sides hold %d records, want %d", len(want), 4*each)
	}
	undisturbed.finish(want)

	const perHouse = 10
	done, houses, finished := 0, 0, 0
	begun = time.Now()
	for done < kills {
		v := newVictim(t, program, each)
		if houses%2 == 1 { // in every second house the answers get lost, too
			v.sim.AddFault(simulator.Fault{Kind: simulator.FaultLateDrop, Method: "write", Probability: 0.01, Delay: killSettle / 5})
		}
		houses++
		for range min(perHouse, kills-done) {
			// Startup and lists come first in each life, then a share of the creates.
			if after := time.Duration(rng.Float64() * float64(whole) * 0.3); v.sync(max(after, time.Millisecond)) {
				done++
			} else {
				finished++
			}
		}
		v.sim.ClearFaults()
		v.finish(want)
		v.db.Close()
	}
	t.Logf("%d kills in %d houses of %d creates each way (%d lives ended before their kill) in %s; undisturbed %s; seed %d",
		done, houses, each, finished, time.Since(begun).Round(time.Millisecond), whole.Round(time.Millisecond), seed)
}
