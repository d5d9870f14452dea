package outbox

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/sync/record"
)

// abouts puts n events on their way to a destination, each about a record of its own.
func (h *house) abouts(destination string, n int) {
	h.t.Helper()
	told := record.Told{}
	for range n {
		h.n++
		told.Events = append(told.Events, record.Event{
			ID: fmt.Sprintf("evt_%03d", h.n), Destination: destination, Type: record.Pushed, Binding: "stays", At: time.Now(),
			Subject: fmt.Sprintf("record pms reservations %d", h.n), Data: fmt.Appendf(nil, `{"text":"about%03d"}`, h.n),
		})
	}
	h.ok(h.store.Tell(h.t.Context(), told, time.Now()))
}

// A receiver that refuses all it is sent is tried by the schedule of one that is away, with one
// try more, and each event in its turn; nothing is given up before its days are over.
func TestWeakReceiverThatRefusesAllIsNotHammered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, r := newHouse(t), &receivers{}
		r.answers(func(delivery) (int, http.Header) { return 400, nil })
		o, stop := h.begin(h.store, r, io.Discard, to("n8n.example.com"))
		defer stop()
		h.abouts("n8n", 30)
		o.Kick()
		pass(70 * time.Hour)
		came := r.at("n8n.example.com")
		if len(came) > len(delays)+1 || len(once(ids(came))) != len(came) {
			t.Errorf("in 70 hours %d tries of %d events, want %d at most, each of another", len(came), len(once(ids(came))), len(delays)+1)
		}
		if c := o.Counts()["n8n"]; c.Dead != 0 {
			t.Errorf("%d were given up", c.Dead)
		}
		r.answers(nil)
		pass(27 * time.Hour)
		if c := o.Counts()["n8n"]; c.Sent != 30 || c.Dead != 0 {
			t.Errorf("once it takes events: %+v, want all sent", c)
		}
	})
}

// Records that are refused for good are each tried by their own schedule and given up with it;
// what is entered meanwhile goes at once, and none is given up untried.
func TestWeakRefusedRecordsAreGivenUpByThemselves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, r := newHouse(t), &receivers{}
		r.answers(refuses("about001", "about002", "about003"))
		o, stop := h.begin(h.store, r, io.Discard, to("n8n.example.com"))
		defer stop()
		h.abouts("n8n", 6)
		o.Kick()
		pass(40 * time.Minute) // after two in a row it is left alone for 5 minutes, and then for 30
		if c := o.Counts()["n8n"]; c.Sent != 3 {
			t.Errorf("%d were sent in forty minutes, want the three that are taken", c.Sent)
		}
		pass(time.Hour)
		for range 20 {
			h.abouts("n8n", 1)
			o.Kick()
			pass(6 * time.Second)
		}
		if c := o.Counts()["n8n"]; c.Sent != 23 {
			t.Errorf("%d were sent beside three that are refused, want 23", c.Sent)
		}
		pass(5 * 24 * time.Hour)
		if c := o.Counts()["n8n"]; c.Dead != 3 || c.Failed > 3*int64(len(delays)+2) {
			t.Errorf("got %+v, want three given up after ten tries or so", c)
		}
	})
}

// Of events about one thing that are refused for good no other is given up untried.
func TestWeakNothingIsGivenUpUntried(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, r := newHouse(t), &receivers{}
		r.answers(refuses("halt001", "halt002"))
		o, stop := h.begin(h.store, r, io.Discard, to("n8n.example.com"))
		defer stop()
		h.halts(4)
		o.Kick()
		pass(4 * 24 * time.Hour)
		h.states("dead, 10 tries", "dead, 1 tries", "sent, 1 tries", "sent, 1 tries")
		tried := r.at("n8n.example.com")
		if i := slices.IndexFunc(tried, func(d delivery) bool { return strings.Contains(d.body, "halt003") }); i != 11 {
			t.Errorf("the third was tried as %d, want right after the two", i)
		}
	})
}
