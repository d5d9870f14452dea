package rest_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/rest"
	"nightporter/simulator"
	"nightporter/sync/record"
)

// Calls are read with their texts in every dialect that has them, by keys of a preset
// alone: never while listing, and no sooner than they are written.
func TestCallsInDialects(t *testing.T) {
	type dialect struct {
		preset string
		kind   record.Kind
		traits simulator.Traits
		over   map[string]any
	}
	all := map[string]dialect{}
	platform, _ := simulator.TraitsOf(simulator.DialectPlatform)
	all["platform as it is"] = dialect{"platform", "calls", platform, map[string]any{}}
	yourang, _ := simulator.TraitsOf(simulator.DialectYourang)
	all["yourang as it is"] = dialect{"yourang", "call-history", yourang, map[string]any{}}
	for seed := range uint64(40) {
		if traits := simulator.Draw(seed); traits.Calls != "" {
			all[fmt.Sprint("drawn ", seed)] = dialect{"platform", "calls", traits, traits.Override()}
		}
	}
	if len(all) < 20 {
		t.Errorf("%d dialects have calls, want twenty at least", len(all))
	}
	for name, d := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := meet(t, d.traits, d.preset, d.over)
			for _, accepted := range []bool{false, true} {
				s.callIsRead(d.kind, accepted)
			}
		})
	}
}

// callIsRead puts a call and reads it before and after its texts are written.
func (s *tale) callIsRead(kind record.Kind, accepted bool) {
	s.Helper()
	ended := time.Now().Add(-time.Hour).UTC().Truncate(time.Second)
	lists := func() int { return s.sim.Counts().Lists }
	s.sim.SetTexts(simulator.Texts{Transcript: 30 * time.Minute, Summary: 2 * time.Hour, Accepted: accepted})
	id := s.sim.Put("calls", map[string]any{
		"phone_number": "+39055500001", "call_status": "Completed", "outcome": "answered", "start_time": ended.Add(-time.Minute).Format(time.RFC3339),
		"end_time": ended.Format(time.RFC3339), "transcript": "Good evening.", "summary": "A greeting.",
	})
	before, asked := lists(), len(s.sim.Requests())
	listed := s.listedCall(kind, id)
	if n := len(s.sim.Requests()) - asked; n != lists()-before {
		s.Errorf("%d requests while listing, of which %d lists", n, lists()-before)
	}
	for _, name := range []string{"transcript", "summary"} {
		if listed.Fields[name].Observed() {
			s.Errorf("a list shows the %s as %v", name, listed.Fields[name])
		}
	}
	if u := listed.Unfinished; u == nil || !slices.Equal(u.Lacks, []string{"transcript", "summary"}) || !u.Since.Equal(ended) {
		s.Errorf("listed: got %+v", u)
	}
	got := s.readCall(kind, id)
	if u := got.Unfinished; u == nil || !slices.Equal(u.Lacks, []string{"summary"}) || got.Fields["transcript"].Text() != "Good evening." {
		s.Errorf("read before all is written: got %+v, %v", u, got.Fields)
	}
	s.sim.SetTexts(simulator.Texts{})
	if got = s.readCall(kind, id); got.Unfinished != nil || got.Fields["summary"].Text() != "A greeting." {
		s.Errorf("read when all is written: got %+v, %v", got.Unfinished, got.Fields)
	}
}

func (s *tale) listedCall(kind record.Kind, id string) record.Record {
	s.Helper()
	q := connectors.Query{Kind: kind}
	for after := record.Cursor(""); ; {
		page, err := s.conn.Fetch(s.Context(), q, after)
		if err != nil {
			s.Fatal(err)
		}
		for _, it := range page.Items {
			if it.ID != id {
				continue
			}
			rec, err := page.Read(it)
			if err != nil {
				s.Fatal(err)
			}
			return rec
		}
		if page.End {
			s.Fatalf("call %s is not listed", id)
		}
		after = page.Next
	}
}

func (s *tale) readCall(kind record.Kind, id string) record.Record {
	s.Helper()
	rec, err := s.conn.Get(s.Context(), record.Ref{Kind: kind, ID: id}, connectors.Scope{})
	if err != nil {
		s.Fatal(err)
	}
	return rec
}

// Nothing of a call can be written.
func TestCallsAreReadOnly(t *testing.T) {
	for preset, kind := range map[string]record.Kind{"platform": "calls", "yourang": "call-history"} {
		p, err := rest.Load(preset, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		c, err := rest.Open(rest.Config{Preset: p, BaseURL: "http://simulator.test", Secret: func() (string, error) { return "", nil }})
		if err != nil {
			t.Fatal(err)
		}
		d, err := c.Describe(t.Context())
		if k := d.Kinds[kind]; err != nil || k.Create || k.Update || k.Delete || !k.Get {
			t.Errorf("%s: got %+v, %v", preset, k, err)
		}
		_ = c.Close()
	}
}
