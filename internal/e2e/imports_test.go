package e2e

import (
	"database/sql"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nightporter/simulator"
	"nightporter/sync/record"
)

// membersPreset is the API of the members: another vendor's, with lists by cursors.
const membersPreset = `
name: members
auth: { type: header, header: X-Api-Key }
prefix: /api/v2
kinds:
  people:
    path: /people
    list: { items: results, paging: cursor, limit_param: limit, cursor_param: after, next: paging.next.after }
    get: { path: "/people/{id}" }
`

// member is one of the source; an empty value is not there.
type member struct{ first, last, mobile, mail, lang string }

// source is one of the systems that docs/imports.md has, and how it is filled.
type source struct {
	config func(h *house) string
	put    func(h *house, people ...member) // in place of what it held
}

func sources(t *testing.T) map[string]source {
	t.Helper()
	var theirs *simulator.Sim
	blocks := fenced(t, "imports.md", "yaml")
	return map[string]source{
		"a query": {
			func(h *house) string {
				db, err := sql.Open("sqlite3", "file:"+filepath.Join(h.dir, "members.db"))
				if err != nil {
					h.t.Fatal(err)
				}
				h.db = db
				h.t.Cleanup(func() { db.Close() })
				h.exec(`CREATE TABLE member (id INTEGER PRIMARY KEY, first TEXT, last TEXT, mobile TEXT UNIQUE, mail TEXT, lang TEXT, left_on TEXT)`)
				return strings.Replace(blocks[0], "address: members.db", "address: "+filepath.Join(h.dir, "members.db"), 1)
			},
			func(h *house, people ...member) {
				h.exec(`UPDATE member SET left_on = '2026-01-01'`)
				for _, p := range people {
					h.exec(`INSERT INTO member (first, last, mobile, mail, lang) VALUES (?, ?, ?, nullif(?, ''), ?) ON CONFLICT (mobile)
						DO UPDATE SET first = excluded.first, last = excluded.last, mail = excluded.mail, lang = excluded.lang, left_on = NULL`, p.first, p.last, p.mobile, p.mail, p.lang)
				}
			},
		},
		"an API": {
			func(h *house) string {
				theirs = simulator.New(simulator.Options{Dialect: simulator.DialectCRM})
				srv := httptest.NewServer(theirs)
				h.t.Cleanup(srv.Close)
				h.write(filepath.Join(h.dir, "members.yaml"), membersPreset)
				h.write(filepath.Join(h.dir, "members.key"), simulator.DefaultKey)
				return strings.NewReplacer("http://members.example.com", srv.URL).Replace(blocks[1])
			},
			func(h *house, people ...member) {
				for _, r := range theirs.All("people") {
					theirs.Remove("people", r["id"].(string))
				}
				for _, p := range people {
					theirs.Put("people", map[string]any{
						"id": "m" + p.mobile[len(p.mobile)-2:], "name": map[string]any{"given": p.first, "family": p.last}, "mobile": p.mobile, "mail": p.mail, "lang": p.lang,
					})
				}
			},
		},
		"a file": {
			func(h *house) string {
				if err := os.Mkdir(filepath.Join(h.dir, "exports"), 0o700); err != nil {
					h.t.Fatal(err)
				}
				return strings.Replace(blocks[2], "key: mobile }", "key: mobile, unchanged_for: 0s }", 1)
			},
			func(h *house, people ...member) {
				text := "first,last,mobile,mail,lang\n"
				for _, p := range people {
					text += strings.Join([]string{p.first, p.last, p.mobile, p.mail, p.lang}, ",") + "\n"
				}
				old, err := filepath.Glob(filepath.Join(h.dir, "exports", "people-*.csv"))
				if err != nil {
					h.t.Fatal(err)
				}
				h.write(filepath.Join(h.dir, "exports", fmt.Sprintf("people-%03d.csv", len(old))), text)
			},
		},
	}
}

// contacts is what the platform holds, a line each, in the order of their numbers.
func (h *house) contacts() string {
	var out []string
	for _, c := range h.sim.All("contacts") {
		words := []string{}
		for _, f := range []string{"phone_number", "first_name", "last_name", "email", "language"} {
			s, _ := c[f].(string)
			if s == "" {
				s = "-"
			}
			words = append(words, s)
		}
		out = append(out, strings.Join(words, " "))
	}
	return strings.Join(out, "\n")
}

// An import from each source, by each rule: people are made once, those who are there are
// changed as far as the rule lets it, and who left the source stays.
func TestImports(t *testing.T) {
	const (
		known = "+393330000001 Ann - ann@example.com -"
		made  = "+393330000002 Bob Smith bob@example.com en"
	)
	for name := range sources(t) {
		for rule, want := range map[string][2]string{ // of Ann, whom the platform knew, and of Bob, whom it edited
			"never":      {known, "+393330000002 Robert Smith bob@example.com en"},
			"fill_empty": {"+393330000001 Ann Rossi ann@example.com it", "+393330000002 Robert Smith bob@example.com en"},
			"always":     {"+393330000001 Anna Rossi anna@example.com it", "+393330000002 Robert Smithson bob@example.com de"},
		} {
			t.Run(name+", "+rule, func(t *testing.T) {
				t.Parallel()
				src := sources(t)[name]
				h := &house{t: t, dir: t.TempDir(), sim: simulator.New(simulator.Options{IDs: simulator.Sequential})}
				srv := httptest.NewServer(h.sim)
				t.Cleanup(srv.Close)
				key := filepath.Join(h.dir, "platform.key")
				h.write(key, simulator.DefaultKey)
				job := strings.Replace(fenced(t, "imports.md", "yaml")[3], "fill_empty", rule, 1)
				if name == "an API" {
					job = strings.NewReplacer("members: first,", "members: name.given,", "members: last,", "members: name.family,").Replace(job)
				}
				h.config = fmt.Sprintf("time_zone: Europe/Rome\nsettle: 1ms\nsystems:\n  platform: { preset: platform, base_url: %q, key: \"file:%s\" }\n%sjobs:\n%s",
					srv.URL, key, src.config(h), job)
				h.sim.Put("contacts", map[string]any{"first_name": "Ann", "phone_number": "+393330000001", "email": "ann@example.com"})

				anna := member{"Anna", "Rossi", "333 0000001", "anna@example.com", "it"}
				bob := member{"Bob", "Smith", "333 0000002", "bob@example.com", "en"}
				src.put(h, anna, bob)
				h.sync()
				first := want[0] + "\n" + made
				if got := h.contacts(); got != first {
					t.Errorf("at first\n%s\nwant\n%s", got, first)
				}
				h.quiet()

				h.sim.Edit("contacts", "c000002", map[string]any{"first_name": "Robert"})
				h.quiet() // what is edited there is theirs
				bob.last, bob.lang = "Smithson", "de"
				src.put(h, anna, bob)
				h.sync()
				if got := h.contacts(); got != want[0]+"\n"+want[1] {
					t.Errorf("then\n%s\nwant\n%s", got, want[0]+"\n"+want[1])
				}
				h.quiet()

				src.put(h, anna, member{"Eva", "Neri", "333 0000003", "", "it"})
				for range 3 {
					h.sync()
				}
				all := want[0] + "\n" + want[1] + "\n+393330000003 Eva Neri - it"
				if got := h.contacts(); got != all {
					t.Errorf("at last\n%s\nwant\n%s", got, all)
				}
				h.quiet()
			})
		}
	}
}

// Where what is there is not changed, nobody is asked which value stands: the answer could
// only be written over it. Questions of an earlier rule are closed.
func TestImportsThatChangeNothingAskNothing(t *testing.T) {
	const known = "+393330000001 Ann - ann@example.com -"
	for rule, want := range map[string]string{
		"never": known, "fill_empty": "+393330000001 Ann Rossi ann@example.com it",
	} {
		for _, before := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, asked before %t", rule, before), func(t *testing.T) {
				t.Parallel()
				src := sources(t)["a query"]
				h := &house{t: t, dir: t.TempDir(), sim: simulator.New(simulator.Options{IDs: simulator.Sequential})}
				srv := httptest.NewServer(h.sim)
				t.Cleanup(srv.Close)
				key := filepath.Join(h.dir, "platform.key")
				h.write(key, simulator.DefaultKey)
				first := rule
				if before {
					first = "always"
				}
				job := strings.NewReplacer("fill_empty", first, ", conflict: members", "").Replace(fenced(t, "imports.md", "yaml")[3])
				h.config = fmt.Sprintf("time_zone: Europe/Rome\nsettle: 1ms\nsystems:\n  platform: { preset: platform, base_url: %q, key: \"file:%s\" }\n%sjobs:\n%s",
					srv.URL, key, src.config(h), job)
				h.sim.Put("contacts", map[string]any{"first_name": "Ann", "phone_number": "+393330000001", "email": "ann@example.com"})
				anna := member{"Anna", "", "333 0000001", "anna@example.com", ""}
				src.put(h, anna)
				h.sync()
				if asked := h.questions("members"); (asked > 0) != before {
					t.Errorf("asked about %d fields at first, by the rule %s", asked, first)
				}
				h.edit("platform: "+first+" }\n    gone", "platform: "+rule+" }\n    gone")
				h.sync()
				if got, asked := h.contacts(), h.questions("members"); got != known || asked > 0 {
					t.Errorf("%s, asked about %d fields, want %s and nothing asked", got, asked, known)
				}
				h.quiet()
				anna = member{"Hanna", "Rossi", "333 0000001", "hanna@example.com", "it"}
				src.put(h, anna)
				h.sync()
				if got, asked := h.contacts(), h.questions("members"); got != want || asked > 0 {
					t.Errorf("later %s, asked about %d fields, want %s and nothing asked", got, asked, want)
				}
				h.quiet()
				h.edit("platform: "+rule+" }\n    gone", "platform: always }\n    gone")
				h.quiet() // what was let stand is settled
				anna.mail = "anna.rossi@example.com"
				src.put(h, anna)
				h.sync()
				if got, asked := h.contacts(), h.questions("members"); !strings.Contains(got, " Ann ") || !strings.Contains(got, anna.mail) || asked > 0 {
					t.Errorf("at last %s, asked about %d fields, want the new mail alone", got, asked)
				}
			})
		}
	}
}

// questions is how many fields persons are asked about.
func (h *house) questions(job record.Binding) int {
	h.t.Helper()
	return len(h.openQuestions(job))
}
