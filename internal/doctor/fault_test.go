package doctor_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors/rest"
	"nightporter/internal/doctor"
	"nightporter/simulator"
)

// What a system does wrong is found, or said not to be known; never taken for how it is.
func TestFaults(t *testing.T) {
	const unknown = "not known"
	none := any(nil)
	for _, x := range []struct {
		name  string
		fault simulator.Fault
		want  map[string]any // unknown, or the value
	}{
		{"offset ignored", simulator.Fault{Kind: simulator.FaultOffsetIgnored}, map[string]any{"list.paging": unknown, "list.limit_param": "limit"}},
		{"filters ignored", simulator.Fault{Kind: simulator.FaultFilterIgnored}, map[string]any{"find": none, "list.paging": "offset"}},
		{"total below zero", simulator.Fault{Kind: simulator.FaultTotalWrong}, map[string]any{"list.total": none, "list.has_more": "meta.has_next"}},
		{"no total", simulator.Fault{Kind: simulator.FaultTotalMissing}, map[string]any{"list.total": none}},
		{"no more than 12 rows", simulator.Fault{Kind: simulator.FaultMaxOffset, Limit: 12}, map[string]any{"list.total": none, "list.has_more": none, "list.paging": "offset"}},
		{"pages of 7 at most", simulator.Fault{Kind: simulator.FaultClamp, Limit: 7}, map[string]any{"list.total": "meta.total", "list.paging": "offset"}},
		{"a row without an id", simulator.Fault{Kind: simulator.FaultIDMissing}, map[string]any{"id": unknown, "get.path": unknown}},
		{"a row twice", simulator.Fault{Kind: simulator.FaultItemTwice}, map[string]any{"id": unknown}},
		{"a list that is a summary", simulator.Fault{Kind: simulator.FaultFieldsLeftOut, Fields: []string{"phone_number"}}, map[string]any{"find": unknown, "omits_empty": unknown}},
		{"another name for the rows", simulator.Fault{Kind: simulator.FaultRenamed, Fields: []string{"data"}}, map[string]any{"list.items": "data_v2", "list.paging": "offset"}},
		{"no list", simulator.Fault{Kind: simulator.FaultNoList}, map[string]any{"path": unknown, "list.items": unknown}},
		{"an empty list", simulator.Fault{Kind: simulator.FaultEmptyList}, map[string]any{"list.paging": unknown, "find": unknown, "id": unknown}},
		{"a page to sign in", simulator.Fault{Kind: simulator.FaultHTML}, map[string]any{"path": unknown}},
		{"half an answer", simulator.Fault{Kind: simulator.FaultTruncated}, map[string]any{"path": unknown}},
		{"no answer but 500", simulator.Fault{Kind: simulator.FaultStatus, Status: 500}, map[string]any{"path": unknown}},
		{"one 500 on the way", simulator.Fault{Kind: simulator.FaultStatus, Status: 500, Path: "/contacts", Skip: 6, Times: 1}, map[string]any{"list.paging": "offset", "list.total": "meta.total"}},
		{"refused after a while", simulator.Fault{Kind: simulator.FaultStatus, Status: 401, Path: "/contacts", Skip: 7}, map[string]any{"list.limit_param": "limit", "list.paging": unknown, "list.has_more": unknown, "list.since": unknown, "find": unknown}},
		{"asked to wait on the way", simulator.Fault{Kind: simulator.FaultThrottle, RetryAfter: time.Hour, RetryForm: simulator.RetrySeconds, Path: "/contacts", Skip: 7}, map[string]any{"list.paging": unknown, "find": unknown}},
		{"asked to wait for a moment", simulator.Fault{Kind: simulator.FaultThrottle, RetryAfter: 20 * time.Second, Path: "/contacts", Skip: 9, Times: 1}, map[string]any{"list.paging": "offset", "find": "kept"}},
	} {
		t.Run(x.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := open(t, simulator.Traits{}, usual, "")
				h.sim.AddFault(x.fault)
				r := h.examine(t)
				h.polite(t, r)
				for key, want := range x.want {
					f, ok := finding(r, "kinds.contacts."+key)
					switch {
					case !ok:
						t.Errorf("%s: nothing is said", key)
					case want == unknown && f.Confidence == doctor.NotKnown, want == "kept" && f.Value != nil:
					case want == unknown || f.Confidence == doctor.NotKnown || spell(f.Value) != spell(want):
						t.Errorf("%s: got %s, %s (%s), want %v", key, spell(f.Value), f.Confidence, f.Evidence, want)
					}
				}
			})
		})
	}
}

func finding(r doctor.Report, subject string) (doctor.Finding, bool) {
	for _, f := range r.Findings {
		if f.Subject() == subject {
			return f, true
		}
	}
	return doctor.Finding{}, false
}

// Who is not let in is told why, and what to do.
func TestNoWayIn(t *testing.T) {
	for _, x := range []struct {
		name   string
		fault  simulator.Fault
		says   string
		within int
	}{
		{"key", simulator.Fault{Kind: simulator.FaultStatus, Status: 401}, "is it the right key", 5},
		{"right", simulator.Fault{Kind: simulator.FaultStatus, Status: 403}, "give it the right to read", 1},
		{"elsewhere", simulator.Fault{Kind: simulator.FaultStatus, Status: 404}, "look at base_url", doctor.MostEntry},
		{"down", simulator.Fault{Kind: simulator.FaultStatus, Status: 503}, "HTTP 503", 2},
		{"busy", simulator.Fault{Kind: simulator.FaultThrottle, RetryAfter: time.Hour, RetryForm: simulator.RetrySeconds}, "run doctor again", 1},
	} {
		t.Run(x.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := open(t, simulator.Traits{}, usual, "")
				h.sim.AddFault(x.fault)
				r := h.examine(t)
				h.polite(t, r)
				if r.Entered || r.Override != "" || r.Requests > x.within {
					t.Errorf("got entered %t with %d requests, want %d at most, and the override\n%s", r.Entered, r.Requests, x.within, r.Override)
				}
				var all []string
				for _, f := range r.Findings {
					all = append(all, f.Evidence)
				}
				if !strings.Contains(strings.Join(all, "\n"), x.says) {
					t.Errorf("nothing says %q in\n%s", x.says, strings.Join(all, "\n"))
				}
			})
		})
	}
}

// broken is a network that loses every request, and says so with its address.
type broken struct{}

func (broken) RoundTrip(r *http.Request) (*http.Response, error) {
	return nil, errors.New("dial " + r.URL.Host + ": connection refused")
}

// A key in the address is in no error.
func TestErrorsWithoutKey(t *testing.T) {
	h := open(t, simulator.Traits{}, 1, "")
	h.preset.Auth.Type, h.preset.Auth.Param = "query", "api_key"
	r := doctor.Examine(t.Context(), doctor.Config{System: "platform", Preset: h.preset, BaseURL: address, Secret: key, Transport: broken{}})
	f, _ := finding(r, "prefix")
	if !strings.Contains(f.Evidence, "connection refused") || strings.Contains(f.Evidence, simulator.DefaultKey) {
		t.Errorf("got %q", f.Evidence)
	}
}

// elsewhere answers lists with a link to another host, and counts who follows it.
type elsewhere struct {
	inner http.RoundTripper
	gone  int
}

func (e *elsewhere) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Host != "platform.example" {
		e.gone++
	}
	resp, err := e.inner.RoundTrip(r)
	if err == nil {
		resp.Header.Set("Link", strings.ReplaceAll(resp.Header.Get("Link"), "platform.example", "elsewhere.example"))
		resp.Header.Set("Date", time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat))
	}
	return resp, err
}

// A link to another host would carry the key there; a clock that is off is told.
func TestLinksElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		traits, _ := simulator.TraitsOf("links")
		h := open(t, traits, usual, "")
		e := &elsewhere{inner: straight{h.sim}}
		r := doctor.Examine(t.Context(), doctor.Config{System: "platform", Preset: h.preset, BaseURL: address, Secret: key, Transport: e})
		if e.gone > 0 || sure(r, "kinds.contacts.list.paging") {
			t.Errorf("followed %d links to another host; paging known: %t", e.gone, sure(r, "kinds.contacts.list.paging"))
		}
		said := false
		for _, f := range r.Findings {
			said = said || strings.Contains(f.Evidence, "its clock is -1h0m0s off this one")
		}
		if !said {
			t.Error("a clock that is an hour behind is not told")
		}
	})
}

// Names that nobody has heard of are not found, and nothing is made of that.
func TestUnheardOf(t *testing.T) {
	for _, traits := range []simulator.Traits{
		{LimitParam: "n", PlaceParam: "k"},
		{LimitParam: "n", PlaceParam: "k", Paging: simulator.ByPage},
		{LimitParam: "n", PlaceParam: "k", Body: simulator.BodyArray, Total: simulator.TotalNone, HideMore: true, Flag: "-"},
		{LimitParam: "n", PlaceParam: "k", Total: simulator.TotalNone, HideMore: true, Paging: simulator.ByCursor},
		{PlaceParam: "k", Paging: simulator.ByPage, Times: simulator.TimesRFC3339, Since: "newer", WindowFrom: "one", WindowTo: "other"},
	} {
		synctest.Test(t, func(t *testing.T) {
			h := open(t, traits, usual, "")
			r := h.examine(t)
			h.polite(t, r)
			for _, key := range []string{"list.paging", "list.since"} {
				if sure(r, "kinds.contacts."+key) {
					f, _ := finding(r, "kinds.contacts."+key)
					t.Errorf("%+v: %s is said to be %v: %s", traits, key, f.Value, f.Evidence)
				}
			}
			if f, _ := finding(r, "kinds.contacts.list.limit_param"); f.Value != nil && f.Value != "limit" {
				t.Errorf("limit_param is said to be %v", f.Value)
			}
		})
	}
}

// What the preset says is unique, and is not, makes no promise.
func TestDuplicates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, simulator.Traits{}, usual, "")
		first, _ := h.sim.Get("contacts", h.ids["contacts"][0])
		h.sim.Edit("contacts", h.ids["contacts"][1], map[string]any{"phone_number": first["phone_number"]})
		r := h.examine(t)
		h.polite(t, r)
		if f, _ := finding(r, "kinds.contacts.unique"); f.Confidence != doctor.Known || f.Value != nil {
			t.Errorf("unique: got %+v", f)
		}
		if all := strings.Join(r.Guarantees, "\n"); !strings.Contains(all, "contacts: class D") {
			t.Errorf("the guarantees are\n%s", all)
		}
	})
}

// lenient shows everything where a filter finds nothing.
type lenient struct{ inner http.RoundTripper }

func (l lenient) RoundTrip(r *http.Request) (*http.Response, error) {
	q := r.URL.Query()
	if phone := q.Get("phone_number"); phone != "" && !strings.HasPrefix(phone, "+9992") {
		q.Del("phone_number")
		r = r.Clone(r.Context())
		r.URL.RawQuery = q.Encode()
	}
	return l.inner.RoundTrip(r)
}

// A filter counts only if it finds nothing for what is not there.
func TestLenientFilter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, simulator.Traits{}, usual, "")
		r := doctor.Examine(t.Context(), doctor.Config{System: "platform", Preset: h.preset, BaseURL: address, Secret: key, Transport: lenient{straight{h.sim}}})
		h.polite(t, r)
		if f, _ := finding(r, "kinds.contacts.find"); f.Value != nil {
			t.Errorf("got %v: %s", f.Value, f.Evidence)
		}
	})
}

// strict refuses phone numbers that don't begin with a plus, in paths and in filters.
type strict struct {
	inner    http.RoundTripper
	pathOnly bool
}

func (s strict) RoundTrip(r *http.Request) (*http.Response, error) {
	phone := r.URL.Query().Get("phone_number")
	if s.pathOnly {
		phone = ""
	}
	if _, after, ok := strings.Cut(r.URL.Path, "/by-phone/"); ok {
		phone = after
	}
	if phone == "" || strings.HasPrefix(phone, "+") {
		return s.inner.RoundTrip(r)
	}
	w := httptest.NewRecorder()
	w.WriteHeader(http.StatusUnprocessableEntity)
	_, err := w.WriteString(`{"error":{"message":"phone must be E.164"}}`)
	return w.Result(), err
}

// A value that is refused says nothing about the way by which it was asked for.
func TestStrictFilter(t *testing.T) {
	filter := rest.Find{By: []string{"phone_number"}, Params: map[string]string{"phone_number": "phone_number"}}
	name := rest.Find{By: []string{"first_name"}, Params: map[string]string{"unheard_of": "first_name"}}
	path := rest.Find{By: []string{"phone_number"}, Path: "/contacts/by-phone/{phone_number}", Item: "data"}
	for _, x := range []struct {
		name  string
		form  simulator.FindForm
		phone string // of all records; empty: as they are
		find  []rest.Find
		lax   bool   // filters refuse nothing
		taken bool   // find: null is said, as it is right
		says  string // in its evidence
	}{
		{"a filter", simulator.FindFilter, "055 0000001", []rest.Find{filter}, false, false, "phone_number is refused"},
		{"a filter among others", simulator.FindFilter, "055 0000001", []rest.Find{filter, name}, false, false, "phone_number is refused"},
		{"a path", simulator.FindByPhone, "055 0000001", []rest.Find{path}, false, false, "/by-phone/{phone_number} doesn't find"},
		{"a path in place of a filter", simulator.FindByPhone, "055 0000001", []rest.Find{filter}, false, false, "phone_number is refused"},
		{"a path beside a filter that is ignored", simulator.FindByPhone, "055 0000001", []rest.Find{filter}, true, false, "leads somewhere"},
		{"all are ignored", simulator.FindNot, "", []rest.Find{filter, name}, false, true, "a filter by phone_number, or by first_name is ignored"},
	} {
		t.Run(x.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := open(t, simulator.Traits{Find: x.form}, usual, "")
				for _, id := range h.ids["contacts"] {
					if x.phone != "" {
						h.sim.Edit("contacts", id, map[string]any{"phone_number": x.phone})
					}
				}
				contacts := h.preset.Kinds["contacts"]
				contacts.Find = x.find
				h.preset.Kinds["contacts"] = contacts
				r := doctor.Examine(t.Context(), doctor.Config{System: "platform", Preset: h.preset, BaseURL: address, Secret: key, Transport: strict{straight{h.sim}, x.lax}})
				f, _ := finding(r, "kinds.contacts.find")
				if f.Value != nil || (f.Confidence == doctor.Known) != x.taken || !strings.Contains(f.Evidence, x.says) {
					t.Errorf("got %s, %s (%s), want it taken away: %t, saying %q", spell(f.Value), f.Confidence, f.Evidence, x.taken, x.says)
				}
				now, err := r.Proposed(h.preset)
				if taken := len(now.Kinds["contacts"].Find) == 0; err != nil || taken != x.taken {
					t.Errorf("find is taken away: %t, %v\n%s", taken, err, r.Override)
				}
				if most := doctor.MostEntry + 3*doctor.MostKind; r.Requests > most {
					t.Errorf("sent %d requests, at most %d", r.Requests, most)
				}
			})
		})
	}
}

// What somebody's writes disturb is compared once more, and then not known.
func TestWritersMeanwhile(t *testing.T) {
	for most, known := range map[int]bool{1: true, 1000: false} { // how many lists are followed by a write
		synctest.Test(t, func(t *testing.T) {
			h := open(t, simulator.Traits{}, usual, "")
			lists := 0
			h.sim.OnList(func(int) {
				if lists++; lists > 4 && lists <= 4+most {
					h.sim.Put("contacts", map[string]any{"first_name": "Guest", "phone_number": fmt.Sprint("+9993", 1000+lists)})
				}
			})
			r := h.examine(t)
			h.polite(t, r)
			f, _ := finding(r, "kinds.contacts.list.paging")
			if got := f.Confidence == doctor.Known; got != known || !known && !strings.Contains(f.Evidence, "records were written") {
				t.Errorf("after %d writes: %s, %s", most, f.Confidence, f.Evidence)
			}
		})
	}
}

// dressed lays fields over the records of lists, or of reads by id.
type dressed struct {
	inner  http.RoundTripper
	fields map[string]any
	listed bool // those of lists
}

func (d dressed) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := d.inner.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	var body map[string]any
	if err := json.NewDecoder(resp.Body).Decode(&body); err != nil {
		return nil, err
	}
	rows, listed := body["data"].([]any)
	if one, ok := body["data"].(map[string]any); ok {
		rows = []any{one}
	}
	for _, row := range rows {
		if d.listed == listed {
			maps.Copy(row.(map[string]any), d.fields)
		}
	}
	text, err := json.Marshal(body)
	resp.Body = io.NopCloser(bytes.NewReader(text))
	return resp, err
}

// That there is no time of change is known only where nothing has its name: many systems fill
// it at the first edit.
func TestTimesUnfilled(t *testing.T) {
	blank := map[string]any{"updated_at": nil, "created_at": nil}
	for _, x := range []struct {
		name   string
		many   int
		fields map[string]any
		listed bool
		broken int // status of reads by id; 0: they are answered
		want   doctor.Confidence
	}{
		{"no such name", 6, nil, true, 0, doctor.Known},
		{"null in lists", 6, blank, true, 0, doctor.NotKnown},
		{"empty in lists", 6, map[string]any{"updated_at": "", "created_at": ""}, true, 0, doctor.NotKnown},
		{"null, and another name has one", 6, map[string]any{"updated_at": nil, "created_at": nil, "modified": "2026-05-28T10:00:00Z", "created": "2026-05-28T10:00:00Z"}, true, 0, doctor.NotKnown},
		{"null in a read by id", 6, blank, false, 0, doctor.NotKnown},
		{"in a read by id alone", 6, map[string]any{"modified": "2026-05-28T10:00:00Z", "created": "2026-05-28T10:00:00Z"}, false, 0, doctor.NotKnown},
		{"too few records", 3, nil, true, 0, doctor.NotKnown},
		{"no read by id", 6, nil, true, 500, doctor.NotKnown},
	} {
		t.Run(x.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := open(t, simulator.Traits{}, x.many, "")
				contacts := h.preset.Kinds["contacts"]
				contacts.Changed.Path, contacts.Created.Path = "updated_at", "created_at"
				h.preset.Kinds["contacts"] = contacts
				if x.broken > 0 {
					h.sim.AddFault(simulator.Fault{Kind: simulator.FaultStatus, Status: x.broken, Path: "/contacts/"})
				}
				d := dressed{straight{h.sim}, x.fields, x.listed}
				r := doctor.Examine(t.Context(), doctor.Config{System: "platform", Preset: h.preset, BaseURL: address, Secret: key, Transport: d})
				h.polite(t, r)
				for _, key := range []string{"changed", "created"} {
					f, _ := finding(r, "kinds.contacts."+key)
					if f.Confidence != x.want || f.Value != nil {
						t.Errorf("%s: got %s, %s (%s), want %s", key, spell(f.Value), f.Confidence, f.Evidence, x.want)
					}
					if taken := strings.Contains(r.Override, key+": null"); taken != (x.want == doctor.Known) {
						t.Errorf("%s is taken away: %t\n%s", key, taken, r.Override)
					}
				}
			})
		})
	}
}
