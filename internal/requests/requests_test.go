package requests

import (
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"nightporter/internal/signature"
)

func TestAdd(t *testing.T) {
	ctx, path := context.Background(), filepath.Join(t.TempDir(), "requests #1.db")
	s, err := Open(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	now := time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC)
	first, known, err := s.Add(ctx, Call{Number: " +39 055 000 0001 ", Text: "ready", By: "desk", At: now}, "e1")
	if err != nil || known || first == "" {
		t.Fatal(first, known, err)
	}
	if again, known, err := s.Add(ctx, Call{Number: "+39 055 000 0001", At: now.Add(time.Minute)}, "e1"); again != first || !known || err != nil {
		t.Errorf("the same event again: got %s, %t, %v; want %s", again, known, err, first)
	}
	if id, _, err := s.Add(ctx, Call{Number: "+39 055 000 0002", At: now}, "e1"); !errors.Is(err, ErrOther) {
		t.Errorf("the same event for another number: got %s, %v, want that it is said", id, err)
	}
	for _, spelt := range []string{"+390550000001", "0039 (055) 000-0001", "055 000 0001"} {
		if again, known, err := s.Add(ctx, Call{Number: spelt, At: now}, "e1"); again != first || !known || err != nil {
			t.Errorf("the same number as %s: got %s, %t, %v; want %s", spelt, again, known, err, first)
		}
	}
	for _, event := range []string{"e2", "", ""} { // without an event each is one of its own
		if id, known, err := s.Add(ctx, Call{Number: "055", At: now.Add(time.Hour)}, event); known || err != nil || id == first {
			t.Errorf("another: got %s, %t, %v", id, known, err)
		}
	}
	for _, bad := range []string{"", "12", "0550000001; drop", "call me", "000000000000000000000"} {
		if _, _, err := s.Add(ctx, Call{Number: bad, At: now}, ""); !errors.Is(err, ErrNumber) {
			t.Errorf("%q: got %v", bad, err)
		}
	}
	all, err := s.List(ctx, 10)
	if err != nil || len(all) != 4 {
		t.Fatal(all, err)
	}
	if got, want := all[3], (Call{ID: first, Number: "+39 055 000 0001", Text: "ready", By: "desk", At: now}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// Two processes are told of one event at the same moment: it is one call.
func TestAddAtOnce(t *testing.T) {
	ctx, path := context.Background(), filepath.Join(t.TempDir(), "requests.db")
	var wg sync.WaitGroup
	ids := make([]string, 16)
	for i := range ids {
		wg.Go(func() {
			s, err := Open(ctx, path)
			if err != nil {
				t.Error(err)
				return
			}
			defer s.Close()
			if ids[i], _, err = s.Add(ctx, Call{Number: "055 1234", At: time.Now()}, "the same"); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for _, id := range ids {
		if id != ids[0] || id == "" {
			t.Fatalf("got %q, want one id", ids)
		}
	}
}

func TestRead(t *testing.T) {
	for body, want := range map[string]Call{
		`{"event_id":"1","number":"+39055","text":"x","by":"n8n"}`:        {Number: "+39055", Text: "x", By: "n8n"},
		`{"eventId":7,"to_number":"055 123"}`:                             {Number: "055 123"},
		`{"event_id":"1","data":{"phone":390550000001,"message":"late"}}`: {Number: "390550000001", Text: "late"},
	} {
		if got, event, err := Read(http.Header{}, []byte(body), nobody); err != nil || got != want || event == "" {
			t.Errorf("%s: got %+v, %q, %v", body, got, event, err)
		}
	}
	// Who asks again signs anew, perhaps under another id of the delivery: its own id of what
	// happened stays.
	for body, want := range map[string]string{
		`{"event_id":"b","number":"055123"}`:                           "b",
		`{"data":{"event_id":"b","number":"055123"}}`:                  "b",
		`{"number":"055123"}`:                                          "h",
		`{"id":"a contact's","number":"055123"}`:                       "h",
		`{"data":{"id":"a contact's","number":"055123"},"event_id":7}`: "7",
	} {
		if _, event, err := Read(http.Header{"Webhook-Id": {"h"}}, []byte(body), signature.Presets["standard"].CoversID); event != want || err != nil {
			t.Errorf("%s: got %q, %v, want %s", body, event, err, want)
		}
	}
	for _, body := range []string{"", "[]", "null", `{"number":"055123"}`, `{"id":7,"number":"055123"}`, `{"data":{"id":"1","number":"055123"}}`, `{"event_id":"1"}`, `{"event_id":"1","number":"me"}`, `{"event_id":"1","number":"055123"} {}`} {
		if got, _, err := Read(http.Header{}, []byte(body), nobody); !errors.Is(err, ErrDelivery) {
			t.Errorf("%s: got %+v, %v", body, got, err)
		}
	}
}

// nobody vouches for the header with an id.
func nobody(string) bool { return false }

// An id in a header counts where the signature covers it: who caught a delivery could have
// somebody called again under another one.
func TestReadTakesNoIDThatNobodySigned(t *testing.T) {
	body := []byte(`{"number":"+39055"}`)
	for name, tc := range map[string]struct {
		header, scheme string
		want           bool
	}{
		"standard":                     {"webhook-id", "standard", true},
		"svix":                         {"svix-id", "svix", true},
		"another header than it signs": {"X-Event-Id", "standard", false},
		"the body alone":               {"webhook-id", "github", false},
		"the body and the time":        {"webhook-id", "yourang", false},
		"a token":                      {"X-Event-Id", "bearer", true}, // who caught it can write what they like
	} {
		h := http.Header{}
		h.Set(tc.header, "7")
		_, event, err := Read(h, body, signature.Presets[tc.scheme].CoversID)
		if tc.want && (err != nil || event != "7") || !tc.want && !errors.Is(err, ErrDelivery) {
			t.Errorf("%s: got event %q, %v", name, event, err)
		}
	}
}
