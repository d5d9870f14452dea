package match

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"nightporter/sync/run"

	"github.com/google/go-cmp/cmp"

	"nightporter/sync/record"
)

// candidatesOf reads "a phone=1 mail=x" into a run.Candidate with the id a.
func candidatesOf(lines ...string) []run.Candidate {
	var out []run.Candidate
	for i, line := range lines {
		parts := strings.Fields(line)
		s := run.Candidate{Brief: run.BriefOf(record.Entry{Num: int64(i), Ref: record.Ref{Kind: "guests", ID: parts[0]}})}
		for _, p := range parts[1:] {
			k, v, _ := strings.Cut(p, "=")
			s.Keys = append(s.Keys, record.Key{Name: k, Text: v})
		}
		out = append(out, s)
	}
	return out
}

// fatesOf is what became of each stranger, one word or sentence a record.
func fatesOf(strangers [2][]run.Candidate, fates [2][]Fate) map[string]string {
	out := map[string]string{}
	for _, side := range record.Sides {
		for i, f := range fates[side] {
			said := "alone"
			switch {
			case f.With >= 0:
				said = "with " + strangers[side.Other()][f.With].Ref.ID
			case f.Why().Held != "":
				said = "held: " + f.Why().Held
			case f.Why().Attached != "":
				said = "attached to " + f.Why().Attached
			}
			out[side.String()+" "+strangers[side][i].Ref.ID] = said
		}
	}
	return out
}

func TestMatch(t *testing.T) {
	const several = "held: several records have the same phone"
	tests := []struct {
		name        string
		left, right []string
		linked      string // "left phone=1": a linked record of that side holds the key
		unique      string // side that keeps a phone unique
		represent   bool
		want        map[string]string
	}{
		{
			name: "one and one join", left: []string{"a phone=1"}, right: []string{"x phone=1"},
			want: map[string]string{"left a": "with x", "right x": "with a"},
		},
		{
			name: "nobody is like them", left: []string{"a phone=1"}, right: []string{"x phone=2"},
			want: map[string]string{"left a": "alone", "right x": "alone"},
		},
		{
			name: "without a key nobody is alike", left: []string{"a"}, right: []string{"x"},
			want: map[string]string{"left a": "alone", "right x": "alone"},
		},
		{
			name: "the second rule where the first is not known",
			left: []string{"a mail=m"}, right: []string{"x phone=1 mail=m"},
			want: map[string]string{"left a": "with x", "right x": "with a"},
		},
		{
			name: "by the first rule it is one, by the second another",
			left: []string{"a phone=1 mail=m"}, right: []string{"x phone=2 mail=m", "y phone=1 mail=n"},
			want: map[string]string{
				"left a":  "held: guests:y has the same phone, and guests:x the same mail as guests:a",
				"right x": "held: it has the same mail as guests:a, and guests:y the same phone",
				"right y": "held: guests:a has the same phone, and guests:x the same mail as guests:a",
			},
		},
		{
			name: "and where the first has no key of the second",
			left: []string{"x mail=m", "y phone=1"}, right: []string{"a phone=1 mail=m"},
			want: map[string]string{
				"left x":  "held: it has the same mail as guests:a, and guests:y the same phone",
				"left y":  "held: guests:a has the same phone, and guests:x the same mail as guests:a",
				"right a": "held: guests:y has the same phone, and guests:x the same mail as guests:a",
			},
		},
		{
			name: "who has a partner by the first rule may share a mail",
			left: []string{"a phone=1 mail=m", "b phone=2 mail=m"}, right: []string{"y phone=1", "x phone=2 mail=m"},
			want: map[string]string{"left a": "with y", "left b": "with x", "right x": "with b", "right y": "with a"},
		},
		{
			name: "the first rule counts before the second where both agree",
			left: []string{"a phone=1 mail=m"}, right: []string{"x phone=2 mail=m", "y phone=1 mail=m"},
			want: map[string]string{"left a": "with y", "right x": "alone", "right y": "with a"},
		},
		{
			name: "the same mail under two phones is for a person",
			left: []string{"a phone=1 mail=m"}, right: []string{"x phone=2 mail=m"},
			want: map[string]string{
				"left a":  "held: another record has the same mail and another phone",
				"right x": "held: another record has the same mail and another phone",
			},
		},
		{
			name: "several on one side are never guessed",
			left: []string{"a phone=1"}, right: []string{"x phone=1", "y phone=1"},
			want: map[string]string{"left a": several, "right x": several, "right y": several},
		},
		{
			name: "a held record is not matched by a later rule",
			left: []string{"a phone=1 mail=m"}, right: []string{"x phone=1 mail=m", "y phone=1 mail=n"},
			want: map[string]string{"left a": several, "right x": several, "right y": several},
		},
		{
			name: "who has a key of one that is held across is not made beside it",
			left: []string{"a phone=1 mail=m", "b phone=1 mail=n"}, right: []string{"x phone=1 mail=o", "y phone=2 mail=m", "z phone=3 mail=p"},
			want: map[string]string{
				"left a": several, "left b": several, "right x": several,
				"right y": "held: it has the same mail as guests:a across, which waits for a person, too", "right z": "alone",
			},
		},
		{
			name: "and one that is held because of a linked one is a partner as well",
			left: []string{"a phone=1 mail=m"}, right: []string{"y phone=2 mail=m"}, linked: "left phone=1",
			want: map[string]string{
				"left a":  "held: it has the same phone as guests:9, which is linked",
				"right y": "held: it has the same mail as guests:a across, which waits for a person, too",
			},
		},
		{
			name: "where one of several is held already none of them is joined",
			left: []string{"a phone=1 mail=m", "b mail=m", "c phone=1"}, right: []string{"x phone=1", "y mail=m"},
			want: map[string]string{
				"left a": several, "left c": several, "right x": several,
				"left b":  "held: it has the same mail as guests:y across, which waits for a person, too",
				"right y": "held: it has the same mail as guests:a across, which waits for a person, too",
			},
		},
		{
			name: "beside a held one of its own side a record may be created",
			left: []string{"a phone=1 mail=m", "b phone=2 mail=m"}, right: []string{"x phone=1", "y phone=1"},
			want: map[string]string{"left a": several, "left b": "alone", "right x": several, "right y": several},
		},
		{
			name: "a held one is another partner of what an earlier key pairs",
			left: []string{"a phone=1 mail=m", "b phone=1", "c phone=2"}, right: []string{"x phone=1", "y phone=2 mail=m"},
			want: map[string]string{
				"left a": several, "left b": several, "right x": several,
				"left c":  "held: guests:y has the same phone, and guests:a the same mail as guests:y",
				"right y": "held: guests:c has the same phone, and guests:a the same mail as guests:y",
			},
		},
		{
			name: "one stands for all beside a held one", represent: true,
			left: []string{"a phone=1 mail=m", "c mail=m", "d mail=m"}, right: []string{"y phone=2 mail=m"}, linked: "right phone=1",
			want: map[string]string{
				"left a":  "held: its phone is that of guests:9, which is linked to another record",
				"left c":  "held: it has the same mail as guests:y across, which waits for a person, too",
				"left d":  "attached to guests:c",
				"right y": "held: it has the same mail as guests:a across, which waits for a person, too",
			},
		},
		{
			name: "several that nobody faces may each be created",
			left: []string{"a phone=1", "b phone=1"},
			want: map[string]string{"left a": "alone", "left b": "alone"},
		},
		{
			name: "not where the other side keeps the key unique",
			left: []string{"a phone=1", "b phone=1"}, unique: "right",
			want: map[string]string{"left a": several, "left b": several},
		},
		{
			name: "one stands for all", represent: true, unique: "right",
			left: []string{"b phone=1", "a phone=1", "c phone=1"},
			want: map[string]string{"left a": "alone", "left b": "attached to guests:a", "left c": "attached to guests:a"},
		},
		{
			name: "and is the one that is matched", represent: true,
			left: []string{"b phone=1", "a phone=1"}, right: []string{"x phone=1"},
			want: map[string]string{"left a": "with x", "left b": "attached to guests:a", "right x": "with a"},
		},
		{
			name: "its key is that of a linked record of the other side",
			left: []string{"a phone=1"}, linked: "right phone=1",
			want: map[string]string{"left a": "held: its phone is that of guests:9, which is linked to another record"},
		},
		{
			name: "its key is that of a linked record of its own side",
			left: []string{"a phone=1"}, linked: "left phone=1",
			want: map[string]string{"left a": "held: it has the same phone as guests:9, which is linked"},
		},
		{
			name: "and that one stands for it", represent: true,
			left: []string{"a phone=1"}, linked: "left phone=1",
			want: map[string]string{"left a": "attached to guests:9"},
		},
		{
			name: "a linked record is never joined again",
			left: []string{"a phone=1"}, right: []string{"x phone=1"}, linked: "left phone=1",
			want: map[string]string{
				"left a":  "held: it has the same phone as guests:9, which is linked",
				"right x": "held: its phone is that of guests:9, which is linked to another record",
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			strangers := [2][]run.Candidate{candidatesOf(tt.left...), candidatesOf(tt.right...)}
			linked := func(side record.Side, keys []record.Key) (map[record.Key][]record.Ref, error) {
				found := map[record.Key][]record.Ref{}
				for _, key := range keys {
					if side.String()+" "+key.Name+"="+key.Text == tt.linked {
						found[key] = []record.Ref{{Kind: "guests", ID: "9"}}
					}
				}
				return found, nil
			}
			unique := [2]map[string]bool{{"phone": tt.unique == "left"}, {"phone": tt.unique == "right"}}
			var represent func([]run.Candidate) int
			if tt.represent {
				represent = StandFor("lowest_id")
			}
			fates, err := Match([]string{"phone", "mail"}, strangers, represent, unique, linked, nobody)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, fatesOf(strangers, fates)); diff != "" {
				t.Errorf("fates (-want +got):\n%s", diff)
			}
		})
	}
}

// nobody is apart from linked records that hold the same.
func nobody(record.Side, [2][]record.Ref) (bool, error) { return false, nil }

// A record that is apart from linked ones with its key is decided as if there were none,
// but not where the other side would refuse it, or one of them stands for all.
func TestMatchTwins(t *testing.T) {
	first := func([]run.Candidate) int { return 0 }
	for _, tt := range []struct {
		name      string
		apart     bool
		unique    bool
		represent func([]run.Candidate) int
		right     []string
		want      map[string]string
	}{
		{name: "apart", apart: true, want: map[string]string{"left a": "alone"}},
		{name: "not apart", want: map[string]string{"left a": "held: it has the same phone as guests:9, which is linked"}},
		{name: "the other side keeps it unique", apart: true, unique: true, want: map[string]string{"left a": "held: it has the same phone as guests:9, which is linked"}},
		{name: "one stands for all", apart: true, represent: first, want: map[string]string{"left a": "attached to guests:9"}},
		{name: "one across is not linked", apart: true, right: []string{"x phone=1"}, want: map[string]string{"left a": "with x", "right x": "with a"}},
		{name: "two across are not linked", apart: true, right: []string{"x phone=1", "y phone=1"}, want: map[string]string{
			"left a": "held: several records have the same phone", "right x": "held: several records have the same phone", "right y": "held: several records have the same phone",
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			strangers := [2][]run.Candidate{candidatesOf("a phone=1"), candidatesOf(tt.right...)}
			linked := func(side record.Side, keys []record.Key) (map[record.Key][]record.Ref, error) {
				return map[record.Key][]record.Ref{keys[0]: {{Kind: "guests", ID: "9"}}}, nil
			}
			fates, err := Match([]string{"phone"}, strangers, tt.represent, [2]map[string]bool{1: {"phone": tt.unique}}, linked,
				func(side record.Side, _ [2][]record.Ref) (bool, error) { return side == record.Left && tt.apart, nil })
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, fatesOf(strangers, fates)); diff != "" {
				t.Errorf("fates (-want +got):\n%s", diff)
			}
		})
	}
}

// Neither the order in which records are known nor which side is called left says
// who is whom.
func TestMatchOrder(t *testing.T) {
	left := []string{"a phone=1 mail=m", "b mail=n", "c phone=3", "d phone=4 mail=q", "e phone=5", "f phone=7 mail=s", "g phone=7 mail=s", "h mail=s"}
	right := []string{"t phone=7", "u phone=8 mail=s", "v phone=1", "w phone=2 mail=n", "x phone=3", "y phone=3", "z phone=6 mail=q"}
	none := func(record.Side, []record.Key) (map[record.Key][]record.Ref, error) {
		return map[record.Key][]record.Ref{}, nil
	}
	run := func(left, right []string) map[string]string {
		strangers := [2][]run.Candidate{candidatesOf(left...), candidatesOf(right...)}
		fates, err := Match([]string{"phone", "mail"}, strangers, nil, [2]map[string]bool{}, none, nobody)
		if err != nil {
			t.Fatal(err)
		}
		return fatesOf(strangers, fates)
	}
	want := run(left, right)
	swapped := map[string]string{}
	for k, v := range run(right, left) {
		side, id, _ := strings.Cut(k, " ")
		swapped[map[string]string{"left": "right", "right": "left"}[side]+" "+id] = v
	}
	if diff := cmp.Diff(want, swapped); diff != "" {
		t.Errorf("with sides swapped (-want +got):\n%s", diff)
	}
	rng := rand.New(rand.NewPCG(3, 4))
	for range 20 {
		l, r := slices.Clone(left), slices.Clone(right)
		rng.Shuffle(len(l), func(i, j int) { l[i], l[j] = l[j], l[i] })
		rng.Shuffle(len(r), func(i, j int) { r[i], r[j] = r[j], r[i] })
		if diff := cmp.Diff(want, run(l, r)); diff != "" {
			t.Fatalf("in the order %v, %v (-want +got):\n%s", l, r, diff)
		}
	}
}

func TestMatchPassesTheStoresError(t *testing.T) {
	boom := errors.New("boom")
	_, err := Match([]string{"phone"}, [2][]run.Candidate{candidatesOf("a phone=1")}, nil, [2]map[string]bool{},
		func(record.Side, []record.Key) (map[record.Key][]record.Ref, error) { return nil, boom }, nobody)
	if !errors.Is(err, boom) {
		t.Errorf("got %v", err)
	}
}

func TestStandFor(t *testing.T) {
	at := func(day int) time.Time { return time.Date(2026, 6, day, 0, 0, 0, 0, time.UTC) }
	of := func(id string, since, created int) run.Candidate {
		e := record.Entry{Ref: record.Ref{ID: id}, Since: at(since)}
		if created > 0 {
			e.Seen = &record.Observation{Created: at(created)}
		}
		return run.Candidate{Brief: run.BriefOf(e)}
	}
	group := []run.Candidate{of("10", 5, 3), of("9", 6, 2), of("11", 1, 0), of("2", 7, 4)}
	for by, want := range map[string]string{"oldest": "11", "newest": "2", "lowest_id": "2"} {
		for range 3 {
			group = append(group[1:], group[0])
			if got := group[StandFor(by)(group)].Ref.ID; got != want {
				t.Errorf("%s: got %s, want %s", by, got, want)
			}
		}
	}
	same := []run.Candidate{of("10", 5, 3), of("9", 5, 3)}
	if got := StandFor("oldest")(same); got != 1 {
		t.Errorf("of two of one age: got %s, want the lower id", same[got].Ref.ID)
	}
}

func TestCompareIDs(t *testing.T) {
	for _, tt := range []struct{ low, high string }{
		{"9", "10"}, {"007", "8"}, {"99999999999999999998", "99999999999999999999"}, {"a10", "a9"}, {"", "1"}, {"10", "9a"},
	} {
		if compareIDs(tt.low, tt.high) >= 0 || compareIDs(tt.high, tt.low) <= 0 {
			t.Errorf("%q is not below %q", tt.low, tt.high)
		}
	}
}
