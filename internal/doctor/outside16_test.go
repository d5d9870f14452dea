package doctor_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"nightporter/connectors/rest"
	"nightporter/internal/doctor"
)

// twoKinds is an API of two kinds, people and stays: offset and limit, a read by id, and what
// says gives in its place.
type twoKinds struct {
	many int // people; stays are as many
	most int // rows of a page at most; 0: as many as are asked for
	says func(r *http.Request) (status int, answer any)
	with map[string]string // what stands in each person beside its id and name, by name, as JSON
}

func (p twoKinds) rows(kind string) []any {
	out := []any{}
	for n := range p.many {
		row := map[string]any{"id": fmt.Sprint(kind[:1], 1001+n), "name": fmt.Sprint("Guest ", n+1), "note": ""}
		for name, text := range p.with {
			var v any
			if err := json.Unmarshal([]byte(strings.ReplaceAll(text, "N", strconv.Itoa(n+1))), &v); err != nil {
				panic(err)
			}
			row[name] = v
		}
		out = append(out, row)
	}
	return out
}

func (p twoKinds) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	status, answer := http.StatusNotFound, any(map[string]any{"error": "there is none"})
	if p.says != nil {
		if s, a := p.says(r); s != 0 {
			tell(w, s, a)
			return
		}
	}
	kind, id, single := strings.Cut(strings.Trim(r.URL.Path, "/"), "/")
	switch {
	case kind != "people" && kind != "stays":
	case single:
		for _, row := range p.rows(kind) {
			if fmt.Sprint(row.(map[string]any)["id"]) == id {
				status, answer = http.StatusOK, row
			}
		}
	default:
		rows := p.rows(kind)
		at, _ := strconv.Atoi(r.URL.Query().Get("offset"))
		size, err := strconv.Atoi(r.URL.Query().Get("limit"))
		if err != nil {
			size = 5
		}
		if p.most > 0 {
			size = min(size, p.most)
		}
		at = min(at, len(rows))
		status, answer = http.StatusOK, map[string]any{"data": rows[at:min(at+size, len(rows))], "total": len(rows)}
	}
	tell(w, status, answer)
}

func tell(w http.ResponseWriter, status int, answer any) {
	w.WriteHeader(status)
	if err := json.NewEncoder(w).Encode(answer); err != nil {
		panic(err)
	}
}

const plainPreset = `
name: plain
auth: { type: none }
errors: { message: [error] }
kinds:
  people:
    path: /people
    list: { items: data, paging: offset, limit_param: limit, offset_param: offset, total: total }
    id: id
    get: { path: "/people/{id}", item: . }
    create: { path: /people, item: . }
    update: { path: "/people/{id}", item: . }
    read_only: [id]
  stays:
    path: /stays
    list: { items: data, paging: offset, limit_param: limit, offset_param: offset, total: total }
    id: id
    get: { path: "/stays/{id}", item: . }
`

func presetOf(t *testing.T, text string) rest.Preset {
	t.Helper()
	p, err := rest.Load("plain", []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// examined is what doctor finds in an API beside a preset.
func examined(t *testing.T, api http.Handler, preset string) doctor.Report {
	t.Helper()
	return doctor.Examine(t.Context(), doctor.Config{System: "plain", Preset: presetOf(t, preset), BaseURL: address, Transport: straight{api}})
}

// of is the finding about a key, which must be there.
func of(t *testing.T, r doctor.Report, key string) doctor.Finding {
	t.Helper()
	f, ok := finding(r, key)
	if !ok {
		t.Fatalf("nothing is said of %s", key)
	}
	return f
}

// A list is asked for with the parameters that the preset sends always.
func TestOutside16ParametersOfTheList(t *testing.T) {
	counts := twoKinds{many: 9}
	counts.says = func(r *http.Request) (int, any) {
		if r.URL.Query().Get("count") == "yes" || strings.Contains(r.URL.Path[1:], "/") {
			return 0, nil
		}
		q := r.URL.Query()
		q.Set("count", "yes")
		at, _ := strconv.Atoi(q.Get("offset"))
		size, err := strconv.Atoi(q.Get("limit"))
		if err != nil {
			size = 5
		}
		rows := counts.rows(strings.Trim(r.URL.Path, "/"))
		at = min(at, len(rows))
		return http.StatusOK, map[string]any{"data": rows[at:min(at+size, len(rows))]}
	}
	insists := twoKinds{many: 9}
	insists.says = func(r *http.Request) (int, any) {
		if r.URL.Query().Get("count") == "yes" || strings.Contains(r.URL.Path[1:], "/") {
			return 0, nil
		}
		return http.StatusBadRequest, map[string]any{"error": "count is missing"}
	}
	preset := strings.ReplaceAll(plainPreset, "total: total }", "total: total, params: { count: \"yes\" } }")
	for name, api := range map[string]twoKinds{"a total if asked for": counts, "nothing without": insists} {
		t.Run(name, func(t *testing.T) {
			r := examined(t, api, preset)
			if f := of(t, r, "kinds.people.list.total"); f.Value != "total" || f.Confidence != doctor.Known {
				t.Errorf("the total is %s, %s: %s", spell(f.Value), f.Confidence, f.Evidence)
			}
			if r.Override != "" {
				t.Errorf("the preset fits, and it proposes\n%s", r.Override)
			}
		})
	}
}

// Parameters that the list refuses are named, and it is read without them.
func TestOutside16ParametersThatAreRefused(t *testing.T) {
	api := twoKinds{many: 9}
	api.says = func(r *http.Request) (int, any) {
		if r.URL.Query().Has("count") {
			return http.StatusBadRequest, map[string]any{"error": "what is count?"}
		}
		return 0, nil
	}
	r := examined(t, api, strings.ReplaceAll(plainPreset, "total: total }", "total: total, params: { count: \"yes\" } }"))
	if f := of(t, r, "kinds.people.list.params"); f.Value != nil || f.Confidence != doctor.Likely {
		t.Errorf("the parameters are %s, %s: %s", spell(f.Value), f.Confidence, f.Evidence)
	}
	if f := of(t, r, "kinds.people.list.paging"); f.Confidence != doctor.Known {
		t.Errorf("the list was not read: %s", f.Evidence)
	}
}

// How the API says that there is no such record is judged by each kind.
func TestOutside16NotFoundByEachKind(t *testing.T) {
	says := func(status int, answer any) func(r *http.Request) (int, any) {
		return func(r *http.Request) (int, any) {
			if id, single := strings.CutPrefix(r.URL.Path, "/stays/"); single && !slices.ContainsFunc(twoKinds{many: 9}.rows("stays"), func(row any) bool { return row.(map[string]any)["id"] == id }) {
				return status, answer
			}
			return 0, nil
		}
	}
	match := map[string]any{"status": []int{200}, "match": "(?i)no such"}
	for name, tt := range map[string]struct {
		says  func(r *http.Request) (int, any)
		value any
		how   doctor.Confidence
		text  string
	}{
		"the same of both":     {nil, nil, doctor.Known, "GET /people/{id}"},
		"a success with false": {says(200, map[string]any{"ok": false, "error": "no such stay"}), match, doctor.Known, "GET /stays/{id}"},
		"could be a right":     {says(403, map[string]any{"error": "not yours"}), nil, doctor.NotKnown, "stays: GET /stays/{id} for an id that nobody has answers HTTP 403, which could mean something else"},
	} {
		t.Run(name, func(t *testing.T) {
			f := of(t, examined(t, twoKinds{many: 9, says: tt.says}, plainPreset), "errors.not_found")
			if spell(f.Value) != spell(tt.value) || f.Confidence != tt.how || !strings.Contains(f.Evidence, tt.text) {
				t.Errorf("it is %s, %s: %s", spell(f.Value), f.Confidence, f.Evidence)
			}
		})
	}
}

// An id that the connector would not see is none.
func TestOutside16IDThatTheConnectorDoesNotSee(t *testing.T) {
	lists := twoKinds{many: 9}
	lists.says = func(r *http.Request) (int, any) {
		if r.URL.Path != "/people" {
			return 0, nil
		}
		return http.StatusOK, map[string]any{"offers": lists.rows("people"), "rooms": lists.rows("people")}
	}
	for name, api := range map[string]http.Handler{
		"several lists": lists,
		"truth values":  twoKinds{many: 2, with: map[string]string{"id": "N"}, says: booleans},
	} {
		t.Run(name, func(t *testing.T) {
			if f := of(t, examined(t, api, plainPreset), "kinds.people.id"); f.Confidence != doctor.NotKnown {
				t.Errorf("the id is %s, %s: %s", spell(f.Value), f.Confidence, f.Evidence)
			}
		})
	}
}

func booleans(r *http.Request) (int, any) {
	if r.URL.Path != "/people" {
		return 0, nil
	}
	return http.StatusOK, map[string]any{"data": []any{map[string]any{"id": true}, map[string]any{"id": false}}}
}

// What is configured of writes stays as it is: no read tells of it.
func TestOutside16ConfiguredPathsStay(t *testing.T) {
	preset := strings.NewReplacer("    create: { path: /people, item: . }\n", "    create: { path: /people/new, item: made }\n",
		"    update: { path: \"/people/{id}\", item: . }\n", "    update: { path: \"/people/{id}/edit\", item: changed }\n").Replace(plainPreset)
	r := examined(t, twoKinds{many: 9}, preset)
	for _, key := range []string{"create.path", "create.item", "update.path", "update.item"} {
		if f := of(t, r, "kinds.people."+key); f.Confidence != doctor.NotKnown {
			t.Errorf("%s is %s, %s: %s", key, spell(f.Value), f.Confidence, f.Evidence)
		}
	}
	if r.Override != "" {
		t.Errorf("it proposes\n%s", r.Override)
	}
}

// A path that the configuration names is not replaced by one that is usual.
func TestOutside16ConfiguredListStays(t *testing.T) {
	p, err := rest.Load("plain", []byte(strings.NewReplacer("  people:", "  contacts:", "path: /people", "path: /club/members").Replace(plainPreset)), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, own := range []bool{false, true} {
		cfg := doctor.Config{System: "plain", Preset: p, BaseURL: address, Transport: straight{twoKinds{many: 9}}}
		if own {
			cfg.Own = map[string]bool{"contacts": true}
		}
		f := of(t, doctor.Examine(t.Context(), cfg), "kinds.contacts.path")
		if own != (f.Confidence == doctor.NotKnown) || own && !strings.Contains(f.Evidence, "/club/members") {
			t.Errorf("configured %t: the path is %s, %s: %s", own, spell(f.Value), f.Confidence, f.Evidence)
		}
	}
}

// A page that is cut down without a word is no page of the size that was asked for.
func TestOutside16PageThatIsCutDown(t *testing.T) {
	for name, tt := range map[string]struct {
		api   twoKinds
		value any
		how   doctor.Confidence
	}{
		"cut down":          {twoKinds{many: 23, most: 7}, nil, doctor.NotKnown},
		"as it is":          {twoKinds{many: 123}, 0, doctor.Known},
		"fewer than a page": {twoKinds{many: 23}, 0, doctor.Likely},
	} {
		t.Run(name, func(t *testing.T) {
			f := of(t, examined(t, tt.api, plainPreset), "kinds.people.list.max_page_size")
			if said := strings.Contains(f.Evidence, "shows 7 records, and more follow"); spell(f.Value) != spell(tt.value) || f.Confidence != tt.how || said != (name == "cut down") {
				t.Errorf("it is %s, %s: %s", spell(f.Value), f.Confidence, f.Evidence)
			}
		})
	}
}
