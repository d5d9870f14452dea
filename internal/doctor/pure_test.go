package doctor

import (
	"encoding/json"
	"net/http"
	"testing"

	"nightporter/connectors/jsonx"
)

func decoded(t *testing.T, text string) any {
	t.Helper()
	v, err := jsonx.Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// Rows are found wherever they are, and what is no list is none.
func TestReadList(t *testing.T) {
	for body, want := range map[string]struct {
		items   string
		rows    int
		grouped bool
	}{
		`[{"id":1},{"id":2}]`:                                                                    {".", 2, false},
		`{"data":[{"id":1}],"meta":{"tags":[{"a":1}]}}`:                                          {"data", 1, false},
		`{"data":{"contacts":[{"id":1}],"links":[]}}`:                                            {"data.contacts", 1, false},
		`{"data":{"2026-01-02":[{"id":1}],"2026-01-03":[{"id":2},{"id":3}]}}`:                    {"data.*", 3, true},
		`[{"date":"2026-01-02","events":[{"id":1},{"id":2}]},{"date":"2026-01-03","events":[]}]`: {"*.events", 2, true},
		`[{"id":1,"date":"2026-01-02","name":"x","tags":[]}]`:                                    {".", 1, false}, // a record that has a day and a list
		`{"data.x":[{"id":1}]}`:                                                                  {`data\.x`, 1, false},
		`{"version":"1"}`:                                                                        {"", 0, false},
		`["a","b"]`:                                                                              {"", 0, false},
		`{"data":{}}`:                                                                            {"", 0, false},
		`"text"`:                                                                                 {"", 0, false},
	} {
		l := readList(observation{status: 200, body: decoded(t, body)}, "contacts")
		if l.items != want.items || len(l.rows) != want.rows || l.grouped != want.grouped {
			t.Errorf("%s: got %q, %d rows, grouped %t, want %+v", body, l.items, len(l.rows), l.grouped, want)
		}
	}
}

// The form of days is told only where one alone fits.
func TestDayFormat(t *testing.T) {
	num := func(s string) any { return json.Number(s) }
	for _, x := range []struct {
		days   []any
		format string
		sure   bool
	}{
		{[]any{"2026-05-28", "2026-05-29"}, "date", true},
		{[]any{"28/05/2026", "01/06/2026"}, "DD/MM/YYYY", true},
		{[]any{"05/28/2026", "06/01/2026"}, "MM/DD/YYYY", true},
		{[]any{"01/02/2026", "03/04/2026"}, "", false},
		{[]any{"2026-05-28T00:00:00Z"}, "rfc3339", true},
		{[]any{"2026-05-28T15:00:00Z"}, "", false}, // an hour, and no day
		{[]any{num("1779926400")}, "epoch_s", true},
		{[]any{num("1779926401")}, "", false},
		{[]any{num("1779926400000")}, "epoch_ms", true},
		{[]any{"next week"}, "", false},
		{[]any{nil}, "", false},
	} {
		var rows []row
		for _, d := range x.days {
			rows = append(rows, row{"day": d})
		}
		format, sure := dayFormat(rows, []string{"day"})
		if sure != x.sure || sure && format != x.format {
			t.Errorf("%v: got %q, %t, want %q, %t", x.days, format, sure, x.format, x.sure)
		}
	}
}

// What an empty field looks like is told by records that lack one, and by none that
// shows one.
func TestOmits(t *testing.T) {
	for _, x := range []struct {
		name  string
		rows  []row
		whole row
		want  Confidence
		value any
	}{
		{"some lack it", []row{{"id": "1", "a": "x"}, {"id": "2"}}, row{"id": "1", "a": "x"}, Likely, true},
		{"both", []row{{"id": "1", "a": "x"}, {"id": "2", "b": nil}}, row{"id": "1"}, NotKnown, nil},
		{"shown empty", []row{{"id": "1", "a": "x"}, {"id": "2", "a": ""}}, row{"id": "1", "a": "x"}, Known, false},
		{"none is empty", []row{{"id": "1", "a": "x"}, {"id": "2", "a": "y"}}, row{"id": "1", "a": "x"}, NotKnown, nil},
		{"a summary", []row{{"id": "1", "a": "x"}, {"id": "2"}}, row{"id": "1", "a": "x", "c": "z"}, NotKnown, nil},
	} {
		e := &exam{b: &book{}, name: "contacts", first: list{rows: x.rows}}
		e.omits(x.whole)
		f, _ := e.b.has("contacts", "omits_empty")
		if f.Confidence != x.want || f.Value != x.value {
			t.Errorf("%s: got %v, %s, want %v, %s", x.name, f.Value, f.Confidence, x.value, x.want)
		}
	}
}

// The number of the first page is told by what pages 1 and 2 show beside the list.
func TestFirstPage(t *testing.T) {
	all := []string{"a", "b", "c", "d", "e"}
	for _, x := range []struct {
		name     string
		one, two []string
		size     int
		first    int
		ok       bool
	}{
		{"from 1", []string{"a", "b"}, []string{"c", "d"}, 2, 1, true},
		{"from 0", []string{"c", "d"}, []string{"e"}, 2, 0, true},
		{"ignored", []string{"a", "b"}, []string{"a", "b"}, 2, 0, false},
		{"another order", []string{"x", "y"}, []string{"z"}, 2, 0, false},
		{"whole pages from 1", all, []string{"f"}, 5, 1, true},
		{"whole pages from 0", []string{"f"}, []string{"g"}, 5, 0, true},
		{"nothing", nil, []string{"c"}, 2, 0, false},
	} {
		first, ok := firstPage(x.one, x.two, all, x.size)
		if ok != x.ok || ok && first != x.first {
			t.Errorf("%s: got %d, %t, want %d, %t", x.name, first, ok, x.first, x.ok)
		}
	}
}

// A refusal is read for what it says, and for nothing that it doesn't.
func TestSayNotFound(t *testing.T) {
	for _, x := range []struct {
		name   string
		status int
		body   string
		want   Confidence
		match  bool
		words  string // path of the message; empty: not known
	}{
		{"404", http.StatusNotFound, `{"error":"Contact not found"}`, Known, false, "error"},
		{"problem", http.StatusNotFound, `{"title":"Not Found","detail":"gone"}`, Known, false, "detail"},
		{"fields", http.StatusNotFound, `{"base":["not found"]}`, Known, false, "."},
		{"soft", http.StatusOK, `{"ok":false,"error":"Contact not found"}`, Known, true, "error"},
		{"soft, in words of its own", http.StatusOK, `{"ok":false,"error":"nix"}`, NotKnown, false, "error"},
		{"400", http.StatusBadRequest, `{"error":"not a uuid"}`, NotKnown, false, "error"},
		{"200", http.StatusOK, `{"data":{"id":"1"}}`, NotKnown, false, ""},
	} {
		b := &book{}
		b.sayNotFound("contacts", observation{status: x.status, body: decoded(t, x.body)}, []string{"error.message", "message", "error", "detail"})
		f, _ := b.has("", "errors.not_found")
		if f.Confidence != x.want || (f.Value != nil) != x.match {
			t.Errorf("%s: not_found: got %v, %s", x.name, f.Value, f.Confidence)
		}
		m, _ := b.has("", "errors.message")
		if at, _ := message(decoded(t, x.body), []string{"error.message", "message", "error", "detail"}); m.sure() != (x.words != "") || m.sure() && at != x.words {
			t.Errorf("%s: message: got %q, %s, want %q", x.name, at, m.Confidence, x.words)
		}
	}
}

// An answer that says of itself that it is no success is none, whatever lists are in it.
func TestJudge(t *testing.T) {
	for _, x := range []struct {
		status int
		body   string
		want   verdict
	}{
		{200, `{"data":[]}`, entered},
		{200, `{"success":false,"errors":[{"code":"x"}]}`, missing},
		{200, `{"version":"1"}`, missing},
		{301, `{}`, missing},
		{404, `{"data":[]}`, missing},
		{401, `{}`, keyless},
		{403, `{}`, forbidden},
		{429, `{}`, silent},
		{500, `{"data":[]}`, silent},
	} {
		if got := judge(observation{status: x.status, body: decoded(t, x.body)}); got != x.want {
			t.Errorf("%d %s: got %d, want %d", x.status, x.body, got, x.want)
		}
	}
}

// What is concluded from silence is taken back where an answer was missing; what was
// seen, and what was known before, is not.
func TestCareful(t *testing.T) {
	e := &exam{a: &asker{}, b: &book{}, name: "contacts"}
	e.say("id", nil, Known, "before")
	e.careful(func() { e.say("list.total", nil, Known, "nothing was missing") })
	e.careful(func() {
		e.a.lost++
		e.say("list.has_more", nil, Known, "silence")
		e.say("list.paging", byNone, Known, "silence")
		e.say("list.limit_param", "limit", Known, "seen")
	})
	for key, want := range map[string]Confidence{
		"id": Known, "list.total": Known, "list.has_more": NotKnown, "list.paging": NotKnown, "list.limit_param": Known,
	} {
		if f, _ := e.b.has("contacts", key); f.Confidence != want {
			t.Errorf("%s: got %s, want %s", key, f.Confidence, want)
		}
	}
}
