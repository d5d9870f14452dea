package merge

import (
	"testing"

	"nightporter/sync/record"
)

// TestStay is the reservation's machine with the management system on the right.
func TestStay(t *testing.T) {
	same := [2]string{}
	tests := []struct {
		name        string
		base        [2]string // left, right; the zero value: as given by from
		from        string
		left, right string
		want        string
	}{
		{"the platform confirms", same, "pending", "confirmed", "pending", ">"},
		{"the platform cancels", same, "confirmed", "cancelled", "confirmed", ">"},
		{"the platform confirmed and cancelled since", same, "pending", "cancelled", "pending", ">"},
		{"the platform checks in", same, "confirmed", "checked_in", "confirmed", "~"},
		{"the platform takes it back to pending", same, "confirmed", "pending", "confirmed", "~"},
		{"the platform reinstates", same, "cancelled", "confirmed", "cancelled", "~"},
		{"the platform revives by two steps", same, "no_show", "cancelled", "no_show", "~"},
		{"an unknown word", same, "confirmed", "maybe", "confirmed", "~"},

		{"the desk checks in", same, "confirmed", "confirmed", "checked_in", "<"},
		{"the desk checked in and out since", same, "confirmed", "confirmed", "completed", "<"},
		{"the desk reinstates", same, "cancelled", "cancelled", "confirmed", "<"},
		{"the desk takes back a no show", same, "no_show", "no_show", "checked_in", "<"},
		{"the desk takes back an arrival", same, "checked_in", "checked_in", "confirmed", "<"},
		{"completed is the end", same, "completed", "completed", "confirmed", "~"},
		{"rejected is the end", same, "rejected", "rejected", "pending", "~"},

		{"cancel against an edit of the desk", same, "confirmed", "cancelled", "pending", ">"},
		{"cancel against confirm", same, "pending", "cancelled", "confirmed", ">"},
		{"cancel against arrival", same, "confirmed", "cancelled", "checked_in", "!"},
		{"confirm against the desk's cancel", same, "pending", "confirmed", "cancelled", "<"},
		{"two ends", same, "confirmed", "cancelled", "no_show", "<"},
		{"two edits", same, "pending", "confirmed", "waitlisted", "<"},
		{"an unlawful edit against a lawful one", same, "confirmed", "checked_in", "pending", "<"},
		{"a revival against a revival", same, "cancelled", "pending", "confirmed", "<"},
		{"both unlawful", same, "completed", "checked_in", "pending", "!"},
		{"the same end twice", same, "confirmed", "cancelled", "cancelled", "="},

		// The platform has no word for an arrival and reads confirmed. What it proposes is a
		// step from where the guest really is.
		{"cancel of a guest in the house", [2]string{"confirmed", "checked_in"}, "", "cancelled", "checked_in", "~"},
		{"departure of a guest in the house", [2]string{"confirmed", "checked_in"}, "", "confirmed", "completed", "<"},
	}
	for _, tt := range tests {
		if tt.base == same {
			tt.base = [2]string{tt.from, tt.from}
		}
		for _, key := range [][]byte{nil, []byte("k")} { // plain bases, and digests
			l := Seen{Now: text(tt.left), Base: kept(key, text(tt.base[0])), Key: key}
			r := Seen{Now: text(tt.right), Base: kept(key, text(tt.base[1])), Key: key}
			d := Cell(Rule{Policy: Rules, Machine: Stay(record.Right)}, l, r, 0)
			if glyphs[d.Act] != tt.want {
				t.Errorf("%s: got %v (%s), want %s", tt.name, d.Act, d.Reason.Text, tt.want)
			}
		}
	}
}

func kept(key []byte, v record.Value) record.Stored {
	if key == nil {
		return record.Keep(v)
	}
	return record.KeepDigest(key, v)
}

// With Enforce the authority's word is put back over a step that may not be taken;
// the authority itself is never put back.
func TestUnlawfulStepPutBack(t *testing.T) {
	rule := Rule{Policy: Rules, Machine: Stay(record.Right), Enforce: true}
	seen := func(base, now string) Seen { return Seen{Base: record.Keep(text(base)), Now: text(now)} }
	d := Cell(rule, seen("cancelled", "confirmed"), seen("cancelled", "cancelled"), 0)
	if d.Act != WriteLeft || d.Value.Text() != "cancelled" || d.Loser.Text() != "confirmed" {
		t.Errorf("platform: got %v %v, loser %v", d.Act, d.Value, d.Loser)
	}
	if d := Cell(rule, seen("completed", "completed"), seen("completed", "confirmed"), 0); d.Act != Drift {
		t.Errorf("desk: got %v, want drift", d.Act)
	}
}

// No sequence of edits and merges makes the platform take a stay out of its end:
// only the desk can.
func TestAbsorbingStatesHold(t *testing.T) {
	m := Stay(record.Right)
	all := []string{"pending", "waitlisted", "confirmed", "checked_in", "completed", "cancelled", "no_show", "rejected"}
	for _, end := range m.Absorbing {
		for _, to := range all {
			if to != end && m.reaches(record.Left, end, to) {
				t.Errorf("the platform takes a stay from %s to %s", end, to)
			}
		}
	}
	for _, w := range []string{"completed", "rejected"} {
		for _, to := range all {
			if to != w && m.reaches(record.Right, w, to) {
				t.Errorf("the desk takes a stay from %s to %s", w, to)
			}
		}
	}
	if l := Stay(record.Left); l.MayRight == nil || l.MayLeft != nil || !l.reaches(record.Left, "cancelled", "confirmed") || l.reaches(record.Right, "cancelled", "confirmed") {
		t.Error("the machine does not follow its authority to the left")
	}
}

// What travels one way is not put back on its origin, whoever has the authority.
func TestUnlawfulStepOfTheOriginStays(t *testing.T) {
	rule := Rule{Policy: Rules, Machine: Stay(record.Right), To: ToRight, Enforce: true}
	base := record.Keep(text("confirmed"))
	d := Cell(rule, Seen{Base: base, Now: text("checked_in")}, Seen{Base: base, Now: text("confirmed")}, 0)
	if d.Act != Drift {
		t.Errorf("got %v, want drift", d.Act)
	}
}

// An absorbing word is left by the authority alone, even over an edge that does not
// say so.
func TestAbsorbingNeedsAuthority(t *testing.T) {
	m := &Machine{Edges: []Edge{{From: "closed", To: "open"}}, Absorbing: []string{"closed"}, Authority: record.Left}
	if m.reaches(record.Right, "closed", "open") {
		t.Error("the other side reopens it")
	}
	if !m.reaches(record.Left, "closed", "open") {
		t.Error("the authority can't reopen it")
	}
}
