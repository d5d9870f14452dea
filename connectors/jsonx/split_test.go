package jsonx_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"nightporter/connectors/jsonx"
	"nightporter/sync/record"
)

func mustPath(t testing.TB, s string) jsonx.Path {
	t.Helper()
	p, err := jsonx.ParsePath(s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestSplit(t *testing.T) {
	tests := map[string]struct {
		items, id string
		body      string
		ids       []string
		raws      []string
		values    []string // total, meta.next
	}{
		"bare":                   {".", "id", ` [ {"id":1} , {"id":"b"} ] `, []string{"1", "b"}, []string{`{"id":1}`, `{"id":"b"}`}, []string{"", ""}},
		"envelope":               {"data", "id", `{"total":2,"data":[{"id":"a"}],"meta":{"next":"x"}}`, []string{"a"}, []string{`{"id":"a"}`}, []string{"2", `"x"`}},
		"nested":                 {"data.rows", "key.n", `{"data":{"rows":[{"key":{"n":7}}]}}`, []string{"7"}, []string{`{"key":{"n":7}}`}, []string{"", ""}},
		"grouped":                {"data.*", "id", `{"data":{"2026-01-02":[{"id":1},{"id":2}],"2026-01-03":[],"2026-01-04":[{"id":3}]}}`, []string{"1", "2", "3"}, nil, []string{"", ""}},
		"grouped in a list":      {"*.events", "id", `[{"date":"2026-01-02","events":[{"id":1}]},{"events":[{"id":2}]}]`, []string{"1", "2"}, nil, []string{"", ""}},
		"nothing grouped":        {"data.*", "id", `{"data":{}}`, []string{}, nil, []string{"", ""}},
		"escaped key":            {"data", "id", `{"d\u0061ta":[{"i\u0064":"\u0061é"}]}`, []string{"aé"}, nil, []string{"", ""}},
		"last of two names":      {"data", "id", `{"data":[{"id":1}],"data":[{"id":2,"id":3}]}`, []string{"3"}, nil, []string{"", ""}},
		"no id":                  {"data", "id", `{"data":[{"ID":1},{"id":null},{"id":{}},{"id":true},5,null]}`, []string{"", "", "", "", "", ""}, nil, []string{"", ""}},
		"large and odd numbers":  {"data", "id", `{"data":[{"id":9007199254740993},{"id":-0},{"id":1.50},{"id":2e2}]}`, []string{"9007199254740993", "0", "1.5", "200"}, nil, []string{"", ""}},
		"dotted name":            {"data", `my\.id`, `{"data":[{"my.id":"x"}]}`, []string{"x"}, nil, []string{"", ""}},
		"id after a lost parent": {"data", "a.id", `{"data":[{"a":{"id":1},"a":{}}]}`, []string{""}, nil, []string{"", ""}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := jsonx.NewSplitter(mustPath(t, tt.items), mustPath(t, tt.id), mustPath(t, "total"), mustPath(t, "meta.next"))
			list, err := s.Split([]byte(tt.body))
			if err != nil {
				t.Fatal(err)
			}
			ids, raws, values := []string{}, []string{}, []string{}
			for _, item := range list.Items {
				ids, raws = append(ids, item.ID), append(raws, string(item.Raw))
			}
			for _, v := range list.Values {
				values = append(values, string(v))
			}
			if diff := cmp.Diff(tt.ids, ids); diff != "" {
				t.Errorf("ids (-want +got):\n%s", diff)
			}
			if tt.raws != nil && !cmp.Equal(tt.raws, raws) {
				t.Errorf("raw items: got %q, want %q", raws, tt.raws)
			}
			if diff := cmp.Diff(tt.values, values); diff != "" {
				t.Errorf("values (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSplitWithoutAList(t *testing.T) {
	tests := map[string]struct{ items, body, want string }{
		"missing":        {"data", `{"rows":[]}`, `no list at "data": there is nothing`},
		"an object":      {"data", `{"data":{"items":[]}}`, `no list at "data": there is an object`},
		"a text":         {"data", `{"data":"x"}`, `no list at "data": there is a text`},
		"bare expected":  {".", `{"data":[]}`, `no list at ".": there is an object`},
		"odd in a group": {"*", `{"error":"quota"}`, `no list at "*": there is a text`},
		"not a group":    {"data.*", `{"data":"x"}`, `no list at "data.*": there is nothing`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := jsonx.NewSplitter(mustPath(t, tt.items), mustPath(t, "id")).Split([]byte(tt.body))
			if !errors.Is(err, jsonx.ErrNoList) || err.Error() != tt.want {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
	list, err := jsonx.NewSplitter(mustPath(t, "data"), mustPath(t, "id")).Split([]byte(`{"data":null}`))
	if err != nil || !list.Null || len(list.Items) != 0 {
		t.Errorf("null: got %+v, %v", list, err)
	}
}

// Rows in groups: the longest counts, and none of a member that is said twice.
func TestSplitLongest(t *testing.T) {
	for body, want := range map[string]int{
		`{"data":{"a":[{"id":1},{"id":2}],"b":[{"id":3}]}}`:                             2,
		`{"data":{"a":[],"b":[]}}`:                                                      0,
		`{"data":{"a":[{"id":1},{"id":2},{"id":3}]},"data":{"b":[{"id":4}]}}`:           1,
		`{"data":[[{"id":1}],[{"id":2},{"id":3},{"id":4}]]}`:                            3,
		`{"data":{"a":[{"id":1,"sub":[1,2,3,4]}],"b":[{"id":3},{"id":3}]},"x":[1,2,3]}`: 2,
	} {
		list, err := jsonx.NewSplitter(mustPath(t, "data.*"), mustPath(t, "id")).Split([]byte(body))
		if err != nil || list.Longest != want {
			t.Errorf("%s: got %d, %v, want %d", body, list.Longest, err, want)
		}
	}
}

func TestLines(t *testing.T) {
	lines := func(body string) (jsonx.List, error) {
		return jsonx.NewSplitter(mustPath(t, "."), mustPath(t, "id"), mustPath(t, "total")).Lines([]byte(body))
	}
	for body, want := range map[string]string{
		"{\"id\":1}\n{\"id\":\"b\"}\n":    "1 b",
		"{\"id\":1}\r\n\r\n \n{\"id\":2}": "1 2",
		"":                                "",
		"\n\n":                            "",
	} {
		list, err := lines(body)
		var ids []string
		for _, item := range list.Items {
			ids = append(ids, item.ID)
		}
		if got := strings.Join(ids, " "); err != nil || got != want || list.Longest != len(ids) || len(list.Values) != 1 {
			t.Errorf("%q: got %q, %v, want %q", body, got, err, want)
		}
	}
	for body, want := range map[string]string{
		"{\"id\":1}\n{\"id\":":     "ends in the middle",
		"{\"id\":1} {\"id\":2}\n":  "not JSON at byte",
		"{\"id\":1}\n[{\"id\":2}]": "there is a list on one",
		"null\n":                   "there is null on one",
		"<html>\n":                 "not JSON",
	} {
		if list, err := lines(body); err == nil || !strings.Contains(err.Error(), want) || list.Items != nil {
			t.Errorf("%q: got %v, %v, want %q", body, list.Items, err, want)
		}
	}
}

func TestSplitBrokenJSON(t *testing.T) {
	for body, cut := range map[string]bool{
		`{"data":[{"id":1},{"id`: true, `{"data":[{"id":1}`: true, ``: true, `{"data":[`: true, `{"data":[{"id":"\u00`: true, `[1.`: true,
		`<html>`: false, `{"data":[1,]}`: false, `{"data":[]} x`: false, `{"data":[01]}`: false, "{\"data\":[\"\n\"]}": false, `{"data":[tru]}`: false,
	} {
		_, err := jsonx.NewSplitter(mustPath(t, "data"), mustPath(t, "id")).Split([]byte(body))
		syntax, ok := errors.AsType[*jsonx.SyntaxError](err)
		if !ok || syntax.Cut != cut {
			t.Errorf("%s: got %v, want cut %v", body, err, cut)
		}
	}
	deep := `{"data":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `}`
	if _, err := jsonx.NewSplitter(mustPath(t, "data"), mustPath(t, "id")).Split([]byte(deep)); err == nil || !strings.Contains(err.Error(), "deeper") {
		t.Errorf("5000 levels: got %v", err)
	}
}

func TestFind(t *testing.T) {
	raw := []byte(` {"a":{"b":[1, 2],"c":"x"},"n":12}`)
	for p, want := range map[string]string{"a.b": "[1, 2]", "a.c": `"x"`, "n": "12", "a.z": "", "n.x": ""} {
		if got := string(jsonx.Find(raw, mustPath(t, p))); got != want {
			t.Errorf("%s: got %s, want %s", p, got, want)
		}
	}
	if got := jsonx.Find([]byte(`{"a":1`), mustPath(t, "a")); got != nil {
		t.Errorf("half JSON: got %s", got)
	}
}

// FuzzSplit holds the splitter against encoding/json: the same bodies are
// accepted, and rows, ids and values are the same.
func FuzzSplit(f *testing.F) {
	for _, s := range []string{
		`{"data":[{"id":1},{"id":"é\u0041"}],"total":2}`, `[]`, `{"data":null}`, `{"data":[{"id":{"id":1}}],"data":[]}`,
		`{"total":{"x":[1e5,-0.0,true]},"data":[[],{},"",null]}`, "{\"data\":[{\"\xff\":1,\"id\":\"\xff\"}]}", `{"data":{"data":[1]}}`, `{"dat\u0061":[{"id":1e2}]}`,
		`{"data":[{"id":"a","id":null}],"total":1,"total":[]} `, `{"data":[1`, `{"a":tru}`, `-`, `"\ud800"`, `{"data":[{"id":1e999}]}`,
	} {
		f.Add([]byte(s))
	}
	split := jsonx.NewSplitter(jsonx.Path{"data"}, jsonx.Path{"id"}, jsonx.Path{"total"})
	f.Fuzz(func(t *testing.T, body []byte) {
		list, err := split.Split(body)
		syntax, _ := errors.AsType[*jsonx.SyntaxError](err)
		if syntax != nil && syntax.Deep {
			return
		}
		if valid := json.Valid(body); valid != (syntax == nil) {
			t.Fatalf("encoding/json accepts: %v, the splitter says %v", valid, err)
		}
		if syntax != nil {
			return
		}
		want, isList := expected(body)
		if isList != (err == nil) {
			t.Fatalf("a list by encoding/json: %v, by the splitter: %v", isList, err)
		}
		if len(want) != len(list.Items) {
			t.Fatalf("%d rows by encoding/json, %d by the splitter", len(want), len(list.Items))
		}
		for i, item := range list.Items {
			if !bytes.Equal(item.Raw, want[i]) {
				t.Errorf("row %d: got %q, want %q", i, item.Raw, want[i])
			}
			if id := expectedID(item.Raw); item.ID != id {
				t.Errorf("row %d: id %q, want %q", i, item.ID, id)
			}
		}
		var top map[string]json.RawMessage
		if json.Unmarshal(body, &top) == nil && !bytes.Equal(list.Values[0], top["total"]) {
			t.Errorf("total: got %q, want %q", list.Values[0], top["total"])
		}
	})
}

func expected(body []byte) (rows []json.RawMessage, isList bool) {
	var top map[string]json.RawMessage
	if json.Unmarshal(body, &top) != nil {
		return nil, false
	}
	raw, ok := top["data"]
	if !ok {
		return nil, false
	}
	return rows, json.Unmarshal(raw, &rows) == nil
}

func expectedID(raw []byte) string {
	var row map[string]json.RawMessage
	if json.Unmarshal(raw, &row) != nil {
		return ""
	}
	dec := json.NewDecoder(bytes.NewReader(row["id"]))
	dec.UseNumber()
	var id any
	if dec.Decode(&id) != nil {
		return ""
	}
	switch id := id.(type) {
	case string:
		return id
	case json.Number:
		if v, err := record.OfNumber(id.String()); err == nil {
			return v.Text()
		}
	}
	return ""
}

func BenchmarkSplit(b *testing.B) {
	var rows []string
	for i := range 100 {
		rows = append(rows, fmt.Sprintf(`{"id":"c-%06d","first_name":"Anna","last_name":"Example","phone_number":"+3900000%05d","email":"anna%d@example.com","address":{"street":"Via Prova 1","city":"Examplia","zip":"00000"},"tags":["returning","newsletter"],"notes":"%s"}`, i, i, i, strings.Repeat("likes a quiet room ", 12)))
	}
	body := []byte(`{"ok":true,"data":[` + strings.Join(rows, ",") + `],"meta":{"total":100,"has_next":false}}`)
	s := jsonx.NewSplitter(mustPath(b, "data"), mustPath(b, "id"), mustPath(b, "meta.total"), mustPath(b, "meta.has_next"))
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if list, err := s.Split(body); err != nil || len(list.Items) != 100 {
			b.Fatal(err)
		}
	}
}
