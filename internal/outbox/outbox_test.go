package outbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/state"
	"nightporter/sync/record"
)

// What happens arrives in order, signed, at each destination; and what is logged of it
// tells neither the address nor the secret nor what was answered.
func TestEventsArrive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, r, log := newHouse(t), &receivers{}, &bytes.Buffer{}
		o, stop := h.begin(h.store, r, log, to("n8n.example.com"), to("make.example.com"))
		h.halts(5)
		o.Kick()
		synctest.Wait()
		stop()
		for _, host := range []string{"n8n.example.com", "make.example.com"} {
			came := r.at(host)
			if len(came) != 5 || len(once(ids(came))) != 5 {
				t.Fatalf("%s got %v", host, ids(came))
			}
			for i, d := range came {
				if !d.signed || !strings.Contains(d.body, fmt.Sprintf(`"halt":"halt%03d"`, i+1)) {
					t.Errorf("%s got as %d: %+v", host, i, d)
				}
			}
		}
		if text := log.String(); strings.Contains(text, capable) || strings.Contains(text, "MfKQ") || strings.Contains(text, secretly) {
			t.Errorf("the log tells too much:\n%s", text)
		}
		if c := o.Counts()["n8n"]; c != (Counts{Sent: 5}) {
			t.Errorf("counted %+v", c)
		}
	})
}

// A destination that takes nothing is tried by the schedule, in order, and its events
// are given up when the schedule is over: the first by itself, and what waited as long
// once the next one is not taken either. Once it answers, what came meanwhile arrives.
func TestEventsAreTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, r, log := newHouse(t), &receivers{}, &bytes.Buffer{}
		r.answers(func(delivery) (int, http.Header) { return 503, nil })
		o, stop := h.begin(h.store, r, log, to("n8n.example.com"))
		defer stop()
		h.halts(3)
		o.Kick()
		pass(70 * time.Hour)
		h.halts(1)
		pass(20 * time.Hour)
		came := r.at("n8n.example.com")
		if len(once(ids(came))) != 2 || len(came) != len(delays)+2 {
			t.Fatalf("%d tries of %v, want %d of the first event and one of the second", len(came), once(ids(came)), len(delays)+1)
		}
		for i, want := range delays {
			got := came[i+1].at.Sub(came[i].at)
			if most := want + time.Duration(jitter*float64(want)) + lookAt; got < want || got > most || came[i+1].id != came[0].id {
				t.Errorf("try %d of %s came after %s, want %s to %s", i+2, came[i+1].id, got, want, most)
			}
		}
		if got := came[len(delays)+1].at.Sub(came[len(delays)].at); got != 0 {
			t.Errorf("the second event was tried %s after the first was given up, want at once", got)
		}
		ds, err := h.store.Destinations(t.Context())
		if err != nil || ds[0].Dead != 3 || ds[0].Waiting != 1 || ds[0].Error != "it answered HTTP 503" || ds[0].Fails != len(delays)+2 {
			t.Fatalf("got %+v, %v", ds, err)
		}
		r.answers(nil)
		pass(27 * time.Hour)
		if came = r.at("n8n.example.com")[len(came):]; len(came) != 1 {
			t.Fatalf("got %v", came)
		}
		if _, err := h.store.Resend(t.Context(), state.EventFilter{State: record.EventDead}, time.Now()); err != nil {
			t.Fatal(err)
		}
		pass(2 * lookAt)
		came = r.at("n8n.example.com")
		if got, want := ids(came[len(came)-3:]), once(ids(came)); got[0] != want[0] || got[1] != want[1] || len(want) != 4 {
			t.Errorf("sent again: %v, all: %v", got, want)
		}
		stop()
		if n := strings.Count(log.String(), "takes events again"); n != 1 {
			t.Errorf("%d times it was said that it takes events again, want once", n)
		}
		if n := strings.Count(log.String(), "level=WARN"); n != 3 {
			t.Errorf("%d warnings, want one at the first failed try and two where events are given up:\n%s", n, log)
		}
	})
}

// slowReads shows what waits as it was a moment ago, from the second time on.
type slowReads struct {
	Store
	times atomic.Int32
}

func (s *slowReads) Expecting(ctx context.Context) ([]record.Destination, error) {
	ds, err := s.Store.Expecting(ctx)
	if s.times.Add(1) > 1 {
		pass(time.Second)
	}
	return ds, err
}

// A try that fails while it is read what waits puts the next one off all the same.
func TestATryThatFailsMeanwhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, r := newHouse(t), &receivers{}
		r.answers(func(delivery) (int, http.Header) { pass(time.Second / 2); return 503, nil })
		o, stop := h.begin(&slowReads{Store: h.store}, r, io.Discard, to("n8n.example.com"))
		defer stop()
		h.halts(1)
		o.Kick()
		pass(time.Second / 4) // the first try is on its way
		o.Kick()
		pass(time.Minute)
		came := r.at("n8n.example.com")
		if len(came) != 2 {
			t.Fatalf("%d tries, want two", len(came))
		}
		if got := came[1].at.Sub(came[0].at); got < delays[0] {
			t.Errorf("the second try came after %s, want %s", got, delays[0])
		}
	})
}

// refuses is a receiver that takes all but the events with one of these halts.
func refuses(halts ...string) func(delivery) (int, http.Header) {
	return func(d delivery) (int, http.Header) {
		for _, name := range halts {
			if strings.Contains(d.body, name) {
				return 400, nil
			}
		}
		return 200, nil
	}
}

// An event that is refused for good is given up by itself: those behind it, which waited
// as long and were never tried, arrive.
func TestAnEventThatIsRefusedForGood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, r := newHouse(t), &receivers{}
		r.answers(refuses("halt001", "halt003"))
		o, stop := h.begin(h.store, r, io.Discard, to("n8n.example.com"))
		defer stop()
		h.halts(4)
		o.Kick()
		pass(7 * 24 * time.Hour)
		h.states("dead, 10 tries", "sent, 1 tries", "dead, 10 tries", "sent, 1 tries")
		came := r.at("n8n.example.com")
		for i, want := range []string{"halt001", "halt002", "halt003", "halt004"} { // each of the two holds those behind it for its own schedule
			if at := []int{0, 10, 11, 21}[i]; !strings.Contains(came[at].body, want) {
				t.Errorf("as %d came %s, want %s", at, came[at].body, want)
			}
		}
	})
}

// Whoever was not there to try gives nothing up: the first try after days in which the
// machine was off may come before its network.
func TestDaysWithoutATry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, r := newHouse(t), &receivers{}
		away := func(delivery) (int, http.Header) { return 503, nil }
		r.answers(away)
		o, stop := h.begin(h.store, r, io.Discard, to("n8n.example.com"))
		h.halts(3)
		o.Kick()
		synctest.Wait()
		stop()
		pass(4 * 24 * time.Hour)
		_, stop = h.begin(h.store, r, io.Discard, to("n8n.example.com"))
		defer stop()
		synctest.Wait()
		h.states("waiting, 2 tries", "waiting, 0 tries", "waiting, 0 tries")
		r.answers(nil)
		pass(6 * time.Minute)
		h.states("sent, 3 tries", "sent, 1 tries", "sent, 1 tries")
	})
}

// A destination that is away for good keeps no event for ever: what was given up is
// listed, each event once, and what waits is of the last days.
func TestADestinationThatIsAwayForGood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, r := newHouse(t), &receivers{}
		r.answers(func(delivery) (int, http.Header) { return 503, nil })
		o, stop := h.begin(h.store, r, io.Discard, to("n8n.example.com"))
		defer stop()
		for n := range 4 * 20 {
			h.halts(1)
			o.Kick()
			pass(6 * time.Hour)
			ds, err := h.store.Destinations(t.Context())
			h.ok(err)
			most := patience + longest + longest/10 + lookAt // it may have become late just after a try
			if age := time.Since(ds[0].Oldest); age > most || ds[0].Waiting+ds[0].Dead != n+1 {
				t.Fatalf("after %d events: %d wait, the oldest for %s, want %s at most; %d are dead", n+1, ds[0].Waiting, age, most, ds[0].Dead)
			}
		}
		if c := o.Counts()["n8n"]; c.Dead < 60 || c.Failed > int64(len(delays)+1+2*20) {
			t.Errorf("in 20 days: %+v, want 60 given up at least, and after the schedule two tries a day at most", c)
		}
	})
}

// An event that can't be sent as it is says nothing of its destination: the schedule
// goes on where it was.
func TestTheScheduleOutlastsWhatCantBeSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, r := newHouse(t), &receivers{}
		r.answers(func(delivery) (int, http.Header) { return 503, nil })
		d := to("n8n.example.com")
		o, stop := h.begin(h.store, r, io.Discard, d)
		defer stop()
		h.halts(2)
		o.Kick()
		pass(6 * time.Minute) // three tries failed
		var err error
		d.Body, err = ParseTemplate(`{{if eq .data.halt "halt001"}}{{.data.nothing}}{{end}}{{json .data.halt}}`)
		h.ok(err)
		h.ok(o.Use(t.Context(), Plan{Rules: Rules{Install: "abcdefgh"}, Destinations: []Destination{d}}))
		pass(34 * time.Minute)
		h.states("dead, 3 tries", "waiting, 1 tries")
		ds, err := h.store.Destinations(t.Context())
		h.ok(err)
		if in := time.Until(ds[0].Next); ds[0].Fails != 4 || in < 110*time.Minute {
			t.Errorf("tried again in %s after %d failed tries", in, ds[0].Fails)
		}
	})
}

// One that hangs keeps neither another one waiting nor who says that something happened.
func TestOneThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, r := newHouse(t), &receivers{}
		r.answers(func(d delivery) (int, http.Header) {
			if d.to == "hangs.example.com" {
				return 0, nil
			}
			return 204, nil
		})
		o, stop := h.begin(h.store, r, io.Discard, to("hangs.example.com"), to("n8n.example.com"))
		begun := time.Now()
		for range 10 {
			h.halts(1)
			o.Kick()
			synctest.Wait()
		}
		if time.Since(begun) != 0 || len(r.at("n8n.example.com")) != 10 || len(r.at("hangs.example.com")) != 1 {
			t.Errorf("after %s: %d and %d", time.Since(begun), len(r.at("n8n.example.com")), len(r.at("hangs.example.com")))
		}
		pass(timeout + time.Second)
		if ds, err := h.store.Destinations(t.Context()); err != nil || ds[0].Error != "it did not answer within 15s" || ds[0].Waiting != 10 {
			t.Errorf("got %+v, %v", ds, err)
		}
		pass(6*time.Second + lookAt)
		begun = time.Now()
		stop()
		if time.Since(begun) != 0 {
			t.Errorf("it ended after %s", time.Since(begun))
		}
		if ds, err := h.store.Destinations(t.Context()); err != nil || ds[0].Fails != 1 || len(r.at("hangs.example.com")) != 2 {
			t.Errorf("a try that was cut off counts: %+v, %v", ds, err)
		}
	})
}

// How a destination answers decides what becomes of an event.
func TestAnswers(t *testing.T) {
	hours := http.Header{"Retry-After": {"7200"}}
	for name, tt := range map[string]struct {
		status int
		header http.Header
		next   time.Duration // at least; 0: not tried again
		want   record.EventState
		why    string
	}{
		"taken":           {status: 202, want: record.EventSent},
		"busy":            {status: 429, header: hours, next: 2 * time.Hour, want: record.EventWaiting, why: "it answered HTTP 429"},
		"refused":         {status: 400, next: 5 * time.Second, want: record.EventWaiting, why: "it answered HTTP 400"},
		"elsewhere":       {status: 302, header: http.Header{"Location": {"https://evil.example.com/"}}, next: 5 * time.Second, want: record.EventWaiting, why: "it answered HTTP 302: redirects are not followed, name the address that it leads to"},
		"not there":       {status: 404, next: 5 * time.Second, want: record.EventWaiting, why: "it answered HTTP 404"},
		"wants no more":   {status: 410, want: record.EventDead, why: "it answered HTTP 410: it wants no more events"},
		"silent for long": {status: 0, next: 20 * time.Second, want: record.EventWaiting, why: "it did not answer within 15s"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h, r := newHouse(t), &receivers{}
				r.answers(func(delivery) (int, http.Header) { return tt.status, tt.header })
				o, stop := h.begin(h.store, r, io.Discard, to("n8n.example.com"))
				h.halts(1)
				o.Kick()
				synctest.Wait()
				if tt.status == 0 {
					pass(timeout + time.Millisecond)
				}
				all, err := h.store.Events(t.Context(), state.EventFilter{})
				if err != nil || len(all) != 1 || all[0].State != tt.want || all[0].Error != tt.why {
					t.Fatalf("got %+v, %v", all, err)
				}
				r.answers(nil)
				if tt.next > 0 {
					pass(tt.next + tt.next/10 + 2*lookAt)
					came := r.at("n8n.example.com")
					if len(came) != 2 || came[1].at.Sub(came[0].at) < tt.next {
						t.Errorf("came %+v", came)
					}
				} else if pass(48 * time.Hour); len(r.at("n8n.example.com")) != 1 {
					t.Errorf("tried again: %+v", r.came)
				}
				if len(r.at("evil.example.com")) > 0 {
					t.Error("a redirect was followed")
				}
				stop()
			})
		})
	}
}

// What was taken begins the schedule anew.
func TestTheScheduleBeginsAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, r := newHouse(t), &receivers{}
		answers := []int{503, 503, 200, 503, 200}
		r.answers(func(delivery) (int, http.Header) {
			if len(answers) == 0 {
				return 200, nil
			}
			defer func() { answers = answers[1:] }()
			return answers[0], nil
		})
		o, stop := h.begin(h.store, r, io.Discard, to("n8n.example.com"))
		defer stop()
		h.halts(2)
		o.Kick()
		pass(10 * time.Minute)
		came := r.at("n8n.example.com")
		if len(came) != 5 || came[4].at.Sub(came[3].at) > 6*time.Second+lookAt {
			t.Errorf("came %+v", came)
		}
	})
}

// What is not tried again waits in no way: a destination that is gone, and one that is
// not in the configuration any more, have their events given up, and take part again
// with another address.
func TestDestinationsThatGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, r := newHouse(t), &receivers{}
		r.answers(func(delivery) (int, http.Header) { return 410, nil })
		o, stop := h.begin(h.store, r, io.Discard, to("n8n.example.com"))
		defer stop()
		h.halts(2)
		o.Kick()
		synctest.Wait()
		h.halts(1)
		o.Kick()
		synctest.Wait()
		ds, err := h.store.Destinations(t.Context())
		if err != nil || ds[0].Dead != 3 || ds[0].Gone.IsZero() || len(r.at("n8n.example.com")) != 1 {
			t.Fatalf("got %+v, %v after %d tries", ds, err, len(r.came))
		}
		r.answers(nil)
		moved := to("n8n.example.com")
		moved.URL = func() (string, error) { return "https://n8n.example.com/another", nil }
		h.ok(o.Use(t.Context(), Plan{Destinations: []Destination{moved}}))
		h.halts(1)
		o.Kick()
		synctest.Wait()
		if len(r.at("n8n.example.com")) != 2 {
			t.Errorf("with another address it got %d", len(r.came))
		}
		h.ok(o.Use(t.Context(), Plan{}))
		h.halts(1)
		o.Kick()
		synctest.Wait()
		if found, err := h.store.Happened(t.Context(), 9); err != nil || len(found) > 0 {
			t.Errorf("nobody is told, and %v is noted, %v", found, err)
		}
	})
}

// An address that is kept in a file is another one once the file says so: a destination
// that was gone takes part again, without a reload. While the file can't be read, or says
// what it said, it stays gone.
func TestAnAddressThatIsReplaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, r, log := newHouse(t), &receivers{}, &bytes.Buffer{}
		var said atomic.Pointer[string]
		says := func(host string) { said.Store(&host) }
		d := to("n8n.example.com")
		d.URL = func() (string, error) {
			if host := *said.Load(); host != "" {
				return "HTTPS://" + host + "/" + capable, nil // as a person may spell it
			}
			return "", errors.New("read secret file:n8n.url: no such file")
		}
		r.answers(func(d delivery) (int, http.Header) {
			if d.to == "new.example.com" {
				return 200, nil
			}
			return 410, nil
		})
		says("")
		o, stop := h.begin(h.store, r, log, d)
		defer stop()
		happens := func(host string) {
			t.Helper()
			says(host)
			h.halts(1)
			o.Kick()
			pass(2 * lookAt)
		}
		happens("old.example.com") // it was not known where that is when the service began
		happens("old.example.com")
		happens("")
		h.ok(o.Use(t.Context(), Plan{Rules: Rules{Install: "abcdefgh"}, Destinations: []Destination{d}}))
		happens("old.example.com")
		happens("older.example.com")
		happens("older.example.com")
		h.states("dead, 0 tries", "dead, 0 tries", "dead, 0 tries", "dead, 0 tries", "dead, 0 tries", "dead, 0 tries")
		if a, b := len(r.at("old.example.com")), len(r.at("older.example.com")); a != 1 || b != 1 {
			t.Fatalf("the old addresses were tried %d and %d times, want once each", a, b)
		}
		happens("new.example.com")
		says("old.example.com") // of one that is not gone the last try decides
		happens("old.example.com")
		happens("old.example.com")
		says("new.example.com")
		h.ok(o.Use(t.Context(), Plan{Rules: Rules{Install: "abcdefgh"}, Destinations: []Destination{d}}))
		happens("new.example.com")
		all, err := h.store.Events(t.Context(), state.EventFilter{State: record.EventSent})
		if a, b := len(r.at("old.example.com")), len(r.at("new.example.com")); err != nil || len(all) != 2 || a != 2 || b != 2 {
			t.Errorf("%d events were sent, %v; tries at the old address %d, at the new one %d; want 2 each", len(all), err, a, b)
		}
		stop()
		if text := log.String(); strings.Contains(text, capable) || strings.Contains(text, "old.example.com") {
			t.Errorf("the log tells the address:\n%s", text)
		}
	})
}

// One that is away, and not gone, is tried at its new address with the next event, and not
// when the old address had its turn again. An address that is the same changes nothing.
func TestAnAddressThatIsReplacedWhileAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, r := newHouse(t), &receivers{}
		var said atomic.Pointer[string]
		says := func(host string) { said.Store(&host) }
		d := to("n8n.example.com")
		d.URL = func() (string, error) { return "https://" + *said.Load() + "/" + capable, nil }
		r.answers(func(d delivery) (int, http.Header) {
			if d.to == "new.example.com" {
				return 200, nil
			}
			return 503, nil
		})
		says("old.example.com")
		o, stop := h.begin(h.store, r, io.Discard, d)
		defer stop()
		happens := func() {
			h.halts(1)
			o.Kick()
			pass(2 * lookAt)
		}
		happens()
		pass(20 * time.Hour)
		tried := len(r.at("old.example.com"))
		happens()
		if n := len(r.at("old.example.com")); n != tried {
			t.Errorf("the old address was tried %d times more, want none before its turn", n-tried)
		}
		says("new.example.com")
		happens()
		h.states("sent, 8 tries", "sent, 1 tries", "sent, 1 tries")
	})
}

// An event of which no body can be made keeps none behind it waiting.
func TestAnEventThatCantBeSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, r := newHouse(t), &receivers{}
		d := to("n8n.example.com")
		var err error
		d.Body, err = ParseTemplate(`{{if eq .data.halt "halt001"}}{{.data.nothing}}{{end}}{{json .data.halt}}`)
		h.ok(err)
		o, stop := h.begin(h.store, r, io.Discard, d)
		defer stop()
		h.halts(2)
		o.Kick()
		synctest.Wait()
		if came := r.at("n8n.example.com"); len(came) != 1 || came[0].body != `"halt002"` || !came[0].signed {
			t.Errorf("got %+v", came)
		}
		dead, err := h.store.Events(t.Context(), state.EventFilter{State: record.EventDead})
		if err != nil || len(dead) != 1 || !strings.Contains(dead[0].Error, "nothing") {
			t.Errorf("got %+v, %v", dead, err)
		}
	})
}

// A network that fails, and an address that is none, are told without the address.
func TestErrorsWithoutAddress(t *testing.T) {
	d := to("n8n.example.com")
	away := roundTrip(func(*http.Request) (*http.Response, error) { return nil, errors.New("connection refused") })
	if _, err := Ping(t.Context(), away, d); err == nil || err.Error() != "connection refused" {
		t.Errorf("got %v", err)
	}
	d.URL = func() (string, error) { return "https://n8n.example.com:port/" + capable, nil }
	if _, err := Ping(t.Context(), away, d); err == nil || strings.Contains(err.Error(), capable) {
		t.Errorf("got %v", err)
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// full is a store on a full disk: it can be read.
type full struct{ Store }

func (full) EventSent(context.Context, record.Event, time.Time) error { return errDead }

// Where what became of a try can't be kept nobody gets the same event every second.
func TestAFullDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, r := newHouse(t), &receivers{}
		o, stop := h.begin(full{h.store}, r, io.Discard, to("n8n.example.com"))
		defer stop()
		h.halts(1)
		o.Kick()
		pass(time.Hour)
		if n := len(r.at("n8n.example.com")); n < 2 || n > 13 {
			t.Errorf("in an hour it came %d times", n)
		}
	})
}

// A ping goes past all that waits.
func TestPing(t *testing.T) {
	r := &receivers{}
	d := to("n8n.example.com")
	d.Topic = Topic{About: []record.EventType{record.HaltedEvent}}
	if status, err := Ping(t.Context(), r, d); err != nil || status != 200 || !r.came[0].signed || !strings.Contains(r.came[0].body, `"type":"ping"`) || !strings.Contains(r.came[0].body, `"command"`) {
		t.Errorf("got %d, %v, %+v", status, err, r.came)
	}
	r.answers(func(delivery) (int, http.Header) { return 401, nil })
	if _, err := Ping(t.Context(), r, d); err == nil || err.Error() != "it answered HTTP 401" {
		t.Errorf("got %v", err)
	}
	d.URL = func() (string, error) { return "", errors.New("read secret file:x: no such file") }
	if _, err := Ping(t.Context(), r, d); err == nil || !strings.Contains(err.Error(), "file:x") {
		t.Errorf("got %v", err)
	}
}

// The example of the libraries of Standard Webhooks, made by what sends events.
func TestStandardWebhooksVector(t *testing.T) {
	d := to("n8n.example.com")
	d.Secrets = func() ([]string, error) { return []string{secretOf, "whsec_b2xk"}, nil }
	e := record.Event{ID: "msg_p5jXN8AQM9LWM0D4loKWxJek"}
	req, err := d.request(t.Context(), "https://n8n.example.com/", e, []byte(`{"test": 2432232314}`), time.Unix(1614265330, 0))
	if err != nil {
		t.Fatal(err)
	}
	got := req.Header.Get("webhook-signature")
	first, second, two := strings.Cut(got, " ")
	if first != "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=" || !two || !strings.HasPrefix(second, "v1,") {
		t.Errorf("got signature %q", got)
	}
	if req.Header.Get("webhook-id") != e.ID || req.Header.Get("webhook-timestamp") != "1614265330" || req.Header.Get("Content-Type") != "application/json" {
		t.Errorf("got headers %v", req.Header)
	}
}
