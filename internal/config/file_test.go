package config

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const fileBase = `time_zone: Europe/Rome
systems:
  pms: { type: sqlite, address: pms.db, tables: { guests: { table: guests, key: id } } }
  exports:
    type: file
    folder: exports
    files:
      guests:
        file: guests-*.csv
        key: telefono
jobs:
  guests:
    kind: contact
    between: { exports: guests, pms: guests }
    match: [phone]
    create: { exports: never, pms: always }
    fields:
      given_name: { exports: nome, pms: first_name, to: pms }
      phone: { exports: telefono, pms: phone, to: pms, region: IT }
`

func fileConfig(t *testing.T, oldnew ...string) (*Config, []string) {
	t.Helper()
	text := fileBase
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

func TestFiles(t *testing.T) {
	cfg, wrong := fileConfig(t)
	if wrong != nil {
		t.Fatal(wrong)
	}
	s, _ := cfg.System("exports")
	want := &Files{Folder: filepath.Join("conf", "exports"), List: []File{{
		Kind: "guests", Line: 8, Name: "guests-*.csv", Format: "csv", Key: []string{"telefono"}, Write: WriteNever, Unchanged: 2 * time.Second,
	}}}
	if diff := cmp.Diff(want.List, s.Files.List); diff != "" || !strings.HasSuffix(s.Files.Folder, want.Folder) {
		t.Errorf("%s (-want +got):\n%s", s.Files.Folder, diff)
	}
	cfg, wrong = fileConfig(t, "        key: telefono", `        key_digest: [nome, telefono]
        several: all
        format: csv
        encoding: windows-1252
        separator: tab
        done: .ok
        unfinished: .new
        unchanged_for: 1m
        stale_after: 30h
        may_be_empty: true
        open_end: true
        max_mb: 20
        max_rows: 50000`)
	if wrong != nil {
		t.Fatal(wrong)
	}
	s, _ = cfg.System("exports")
	all := []File{{
		Kind: "guests", Line: 8, Name: "guests-*.csv", Several: "all", Format: "csv", Encoding: "windows-1252", Separator: '\t',
		Key: []string{"nome", "telefono"}, Digest: true, Write: WriteNever, MayBeEmpty: true, OpenEnd: true, Done: ".ok",
		Unfinished: []string{".new"}, Unchanged: time.Minute, StaleAfter: 30 * time.Hour, MaxMB: 20, MaxRows: 50000,
	}}
	if diff := cmp.Diff(all, s.Files.List); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	cfg, wrong = fileConfig(t, "guests-*.csv", "guests.csv", "key: telefono", "key: telefono\n        our_mark: ref\n        write: rewrite\n        formulas: as_typed",
		"exports: never", "exports: always", "first_name, to: pms", "first_name", "phone, to: pms", "phone")
	if wrong != nil {
		t.Fatal(wrong)
	}
	s, _ = cfg.System("exports")
	if f := s.Files.List[0]; f.Write != WriteRewrite || !f.AsTyped || f.OurMark != "ref" || f.Unchanged != 0 {
		t.Errorf("written: %+v", f)
	}
	if len(cfg.Warnings) != 1 || !strings.Contains(cfg.Warnings[0].String(), "jobs.guests.fields.phone.exports: it tells the rows of exports.guests apart") {
		t.Errorf("warnings: %v", cfg.Warnings)
	}
}

func TestBadFiles(t *testing.T) {
	for _, tt := range []struct {
		name string
		edit []string
		want []string
	}{
		{"a key of another type", []string{"    folder: exports", "    folder: exports\n    address: x"}, []string{"7: systems.exports.address: means nothing with type: file: delete it"}},
		{"a folder with a database", []string{"address: pms.db,", "address: pms.db, folder: x,"}, []string{"3: systems.pms.folder: means nothing with type: sqlite: delete it"}},
		{"no type", []string{"    type: file\n", ""}, []string{"4: systems.exports.type: missing: file"}},
		{"no folder", []string{"    folder: exports\n", ""}, []string{"4: systems.exports.folder: missing: the folder with the files"}},
		{"mistyped", []string{"file: guests-*.csv", "file: guests-*.csv\n        seperatr: tab"}, []string{`10: systems.exports.files.guests.seperatr: unknown key; did you mean "separator"?`}},
		{"no key", []string{"        key: telefono\n", ""}, []string{"8: systems.exports.files.guests.key: missing: the column, or columns, that tell one row from another; or key_digest, a digest of which does"}},
		{"two keys", []string{"key: telefono", "key: telefono\n        key_digest: nome"}, []string{"11: systems.exports.files.guests.key_digest: key says what tells rows apart: delete one"}},
		{"a path", []string{"guests-*.csv", "../guests.csv"}, []string{"9: systems.exports.files.guests.file: must be a name alone: folder says where it is"}},
		{"no format", []string{"guests-*.csv", "guests.xls"}, []string{"8: systems.exports.files.guests.format: missing: csv or jsonl, for the name doesn't say"}},
		{"a separator nobody knows", []string{"key: telefono", "key: telefono\n        separator: dot"}, []string{"11: systems.exports.files.guests.separator: must be comma, semicolon, tab or pipe"}},
		{"a pattern that is written", []string{"key: telefono", "key: telefono\n        write: append"}, []string{"11: systems.exports.files.guests.write: files by a pattern are only read: name the one file that is written"}},
		{"several of one", []string{"guests-*.csv", "guests.csv\n        several: all"}, []string{"10: systems.exports.files.guests.several: means nothing with one file: say guests-*.csv, or delete it"}},
		{"what a file that is written can't have", []string{"guests-*.csv", "guests.csv\n        write: append\n        done: .ok"}, []string{"11: systems.exports.files.guests.done: is for files that are only read: delete it, or write"}},
		{"always stale", []string{"key: telefono", "key: telefono\n        stale_after: 1s"}, []string{"11: systems.exports.files.guests.stale_after: must be more than unchanged_for, which is 2s: no file would be read"}},
		{"JSON with a separator", []string{"guests-*.csv", "guests.jsonl\n        separator: tab"}, []string{"10: systems.exports.files.guests.separator: means nothing with jsonl: delete it"}},
		{"too large", []string{"key: telefono", "key: telefono\n        max_mb: 5000"}, []string{"11: systems.exports.files.guests.max_mb: must be 1024 or less: the file is held in memory"}},
		{"another kind", []string{"exports: guests,", "exports: guest,"}, []string{`14: jobs.guests.between.exports: exports has no file "guest"; did you mean "guests"?`}},
		{"written and only read", []string{"exports: never", "exports: always", "first_name, to: pms", "first_name"}, []string{
			"16: jobs.guests.create.exports: the file of guests is only read: write never, or say write: append, or rewrite, with the file",
			"18: jobs.guests.fields.given_name.exports: the file of exports.guests is only read: say to: pms, or write: rewrite with the file",
		}},
		{"deleted", []string{"    fields:", "    gone: { pms: delete }\n    fields:"}, []string{"17: jobs.guests.gone.pms: rows of a file are never deleted: choose hold, unlink, ignore"}},
		{"asked", []string{
			"kind: contact", "kind: stay", "    fields:",
			"    accept_if: { exports: select 1 }\n    fields:\n      arrival: { exports: dal, pms: arrival, to: pms }\n      departure: { exports: al, pms: departure, to: pms }",
		}, []string{
			"17: jobs.guests.accept_if.exports: exports is not a database: only a database can be asked this",
			"17: jobs.guests.accept_if.exports: means nothing with create: { exports: never }",
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, wrong := fileConfig(t, tt.edit...)
			if diff := cmp.Diff(tt.want, wrong); diff != "" {
				t.Errorf("mistakes (-want +got):\n%s", diff)
			}
		})
	}
}
