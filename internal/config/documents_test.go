package config

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const documentsBase = `time_zone: Europe/Rome
systems:
  platform: { preset: platform, base_url: "https://api.example.com", key: "env:K" }
  house:
    type: folder
    folder: knowledge
    language: it
    by_path: [{ match: "en/**", language: en, tags: guests }]
  pms:
    type: sqlite
    address: pms.db
    documents:
      prices:
        title: Price list
        query: select dish, price from menu
        template: "{{ .Title }}"
jobs:
  documents:
    kind: record
    between: { house: documents, platform: documents }
    match: [[title, digest]]
    create: { house: never, platform: always }
    gone: { house: { archive: { active: false } } }
    fields:
      title: { house: title, platform: title, to: platform }
      digest: { house: digest, platform: checksum, to: platform }
      content: { house: content, platform: file, to: platform }
`

func documentsConfig(t *testing.T, oldnew ...string) (*Config, []string) {
	t.Helper()
	text := documentsBase
	for i := 0; i < len(oldnew); i += 2 {
		if !strings.Contains(text, oldnew[i]) {
			t.Fatalf("the base has no %q", oldnew[i])
		}
		text = strings.Replace(text, oldnew[i], oldnew[i+1], 1)
	}
	cfg, err := Parse("conf/c.yaml", []byte(text), nil)
	var wrong []string
	if errs, ok := err.(*Errors); ok { //nolint:errorlint // Parse returns it bare
		for _, m := range errs.List {
			wrong = append(wrong, strings.TrimPrefix(m.String(), "conf/c.yaml:"))
		}
	} else if err != nil {
		t.Fatal(err)
	}
	return cfg, wrong
}

func TestDocuments(t *testing.T) {
	cfg, wrong := documentsConfig(t)
	if wrong != nil {
		t.Fatal(wrong)
	}
	s, _ := cfg.System("house")
	want := &Folder{
		Path: filepath.Join("conf", "knowledge"), Language: "it", Unchanged: 2 * time.Second,
		ByPath: []ByPath{{Match: "en/**", Language: "en", Tags: []string{"guests"}}},
	}
	if diff := cmp.Diff(want, s.Folder); diff != "" {
		t.Errorf("folder (-want +got):\n%s", diff)
	}
	s, _ = cfg.System("pms")
	made := []Document{{
		Line: 13, Name: "prices.md", Title: "Price list", Query: "select dish, price from menu", Template: "{{ .Title }}", MinRows: 1,
	}}
	if diff := cmp.Diff(made, s.SQL.Documents); diff != "" {
		t.Errorf("documents (-want +got):\n%s", diff)
	}
	j, _ := cfg.Job("documents")
	if f, _ := j.Field("content"); f.As != AsContent {
		t.Errorf("content is a %s", f.As)
	}
	cfg, wrong = documentsConfig(t, `template: "{{ .Title }}"`, "template_file: prices.tmpl\n        min_rows: 3\n        name: list.txt\n        order: price", "house: documents", "pms: documents",
		"house: never", "pms: never", "gone: { house:", "gone: { pms:", "house: title", "pms: title", "house: digest", "pms: digest", "house: content", "pms: content")
	if wrong != nil {
		t.Fatal(wrong)
	}
	s, _ = cfg.System("pms")
	if d := s.SQL.Documents[0]; d.File != filepath.Join("conf", "prices.tmpl") || d.MinRows != 3 || d.Name != "list.txt" || len(d.Order) != 1 {
		t.Errorf("with a file: %+v", d)
	}
}

func TestBadDocuments(t *testing.T) {
	for _, tt := range []struct {
		name string
		edit []string
		want []string
	}{
		{"no folder", []string{"    folder: knowledge\n", ""}, []string{"4: systems.house.folder: missing: the folder with the documents"}},
		{"no type", []string{"    type: folder\n", ""}, []string{"4: systems.house.type: missing: file for tables in files, folder for documents"}},
		{"mistyped", []string{"language: it", "languag: it"}, []string{`7: systems.house.languag: unknown key; did you mean "language"?`}},
		{"a key of another type", []string{"language: it", "key: env:K"}, []string{"7: systems.house.key: means nothing with type: folder: delete it"}},
		{"a key of a folder", []string{"address: pms.db", "address: pms.db\n    exclude: x"}, []string{"12: systems.pms.exclude: means nothing with type: sqlite: delete it"}},
		{"no pattern", []string{"language: it", "exclude: [\"[a\"]"}, []string{`7: systems.house.exclude: "[a" is no pattern of a path: it is like *.md, drafts/** or **/en/*.pdf, below the folder`}},
		{"a pattern that says nothing", []string{", language: en, tags: guests", ""}, []string{`8: systems.house.by_path: "en/**" says nothing: give it a language or tags`}},
		{"no query", []string{"        query: select dish, price from menu\n", ""}, []string{"13: systems.pms.documents.prices.query: missing: the select that gives its rows"}},
		{"no template", []string{"        template: \"{{ .Title }}\"\n", ""}, []string{"13: systems.pms.documents.prices.template: missing: the text, with {{ range .Rows }} around what is made of each row"}},
		{"two templates", []string{"        title: Price list", "        template_file: x"}, []string{"14: systems.pms.documents.prices.template_file: template is the text itself: delete one"}},
		{"a name that no text has", []string{"title: Price list", "name: prices.pdf"}, []string{"14: systems.pms.documents.prices.name: must be a name that ends in .md, .txt or .csv: a template gives text"}},
		{"two of one name", []string{"    documents:\n      prices:", "    documents:\n      others: { query: q, template: x, name: prices.md }\n      prices:"}, []string{`14: systems.pms.documents.prices: another document is called "prices.md" already`}},
		{"another kind", []string{"house: documents,", "house: files,"}, []string{"20: jobs.documents.between.house: house is a folder, and what is in it is called documents"}},
		{"made there", []string{"house: never", "house: always"}, []string{"22: jobs.documents.create.house: documents of house are only read: write never"}},
		{"written there", []string{"platform: title, to: platform", "platform: title"}, []string{"25: jobs.documents.fields.title.house: documents of house are only read: say to: platform"}},
		{"deleted there", []string{"gone: { house:", "gone: { platform: delete, house:"}, []string{"23: jobs.documents.gone.platform: documents of house are only read: choose hold, unlink, ignore"}},
		{"a content both ways", []string{"platform: file, to: platform", "platform: file"}, []string{
			"27: jobs.documents.fields.content.house: documents of house are only read: say to: platform",
			"27: jobs.documents.fields.content.to: missing: the system that gets the content, which goes one way",
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, wrong := documentsConfig(t, tt.edit...)
			if diff := cmp.Diff(tt.want, wrong); diff != "" {
				t.Errorf("mistakes (-want +got):\n%s", diff)
			}
		})
	}
}
