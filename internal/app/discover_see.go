package app

import (
	"context"
	"maps"
	"slices"
	"strings"

	"nightporter/connectors/file"
	"nightporter/connectors/rest"
	"nightporter/connectors/sql"
	"nightporter/internal/config"
	"nightporter/internal/discover"
)

// seenAPI is the kinds that the preset knows.
func (d *discovering) seenAPI(sys config.System) (*seen, error) {
	preset, err := presetOf(sys.REST)
	if err != nil {
		return nil, err
	}
	s := &seen{sys: sys}
	for _, name := range slices.Sorted(maps.Keys(preset.Kinds)) {
		k := preset.Kinds[name]
		sample := discover.Sample{Kind: name, Columns: expected(k), ReadOnly: k.Update == nil}
		for _, f := range k.Find {
			sample.Finds = append(sample.Finds, f.By)
		}
		s.kinds = append(s.kinds, &seenKind{sample: sample, listed: true})
	}
	return s, nil
}

// expected is the fields of a kind that its preset speaks of.
func expected(k rest.Kind) []discover.Column {
	var out []discover.Column
	known := map[string]bool{}
	for _, path := range slices.Concat(k.Required, slices.Concat(k.Unique...), k.WindowFields, slices.Sorted(maps.Keys(k.Fields)), k.ReadOnly) {
		if !known[path] {
			known[path] = true
			readOnly := slices.Contains(k.ReadOnly, path) || k.Fields[path].ReadOnly
			out = append(out, discover.Column{Path: path, Expected: true, ReadOnly: readOnly})
		}
	}
	for _, f := range k.Find {
		for _, path := range f.By {
			if !known[path] {
				known[path] = true
				out = append(out, discover.Column{Path: path, Expected: true})
			}
		}
	}
	return out
}

// seenTables is the configured tables or, where none is, those of the catalogue.
func (d *discovering) seenTables(ctx context.Context, sys config.System) (*seen, error) {
	cfg, err := d.sqlConfig(sys)
	if err != nil {
		return nil, err
	}
	s := &seen{sys: sys}
	if len(sys.SQL.Tables) > 0 {
		err = d.namedTables(ctx, s, cfg)
	} else {
		err = s.foundTables(ctx, cfg)
	}
	if err != nil {
		return nil, err
	}
	names := map[string]string{} // table -> kind
	for _, k := range s.kinds {
		names[k.table.Name] = k.sample.Kind
	}
	for _, k := range s.kinds {
		for _, c := range k.table.Columns {
			col := discover.Column{Path: c}
			for table, kind := range names {
				if to := k.table.Refers[c]; to != "" && sameTable(table, to) {
					col.Refers = kind
				}
			}
			k.sample.Columns = append(k.sample.Columns, col)
		}
		k.sample.Finds = discover.Finds(k.sample)
	}
	return s, nil
}

// namedTables adds the configured tables. Where the catalogue does not show one, nobody knows
// that it can't be written.
func (d *discovering) namedTables(ctx context.Context, s *seen, cfg sql.Config) error {
	var names []string
	for _, t := range s.sys.SQL.Tables {
		if t.Table != "" {
			names = append(names, t.Table)
		}
	}
	all, err := sql.CatalogueOf(ctx, cfg, names)
	if err != nil {
		return err
	}
	for _, t := range s.sys.SQL.Tables {
		k := &seenKind{sample: discover.Sample{Kind: t.Kind}, listed: true, key: t.Key, table: sql.Listed{Name: t.Table}}
		switch l, ok := all[t.Table]; {
		case ok:
			k.table = l
			k.table.Columns = slices.DeleteFunc(slices.Clone(l.Columns), func(c string) bool { return slices.Contains(t.Private, c) })
			k.sample.ReadOnly = !l.Writes
		case t.Table == "":
			k.sample.ReadOnly = true
		default:
			d.note("%s of %s: the catalogue does not show the table %s, so nobody knows whether it can be written, and what its columns refer to", t.Kind, s.sys.Name, t.Table)
		}
		s.kinds = append(s.kinds, k)
	}
	return nil
}

// foundTables adds the tables of the catalogue.
func (s *seen) foundTables(ctx context.Context, cfg sql.Config) error {
	all, more, err := sql.Catalogue(ctx, cfg, MostTables)
	if err != nil {
		return err
	}
	s.more = more
	for _, l := range all {
		k := &seenKind{table: l, key: l.Key, keyWhy: "known: they are unique, and never null"}
		switch {
		case l.Primary:
			k.keyWhy = "known: its primary key"
		case len(l.Key) == 0:
			if id := discover.LikelyKey(l.Name, l.Columns); id != "" {
				k.key, k.keyWhy = []string{id}, "likely: by its name; the database knows of no key"
			}
		}
		k.sample.Kind = s.free(discover.KindName(lastOf(l.Name)))
		k.sample.ReadOnly = !l.Writes
		s.kinds = append(s.kinds, k)
	}
	return nil
}

// sameTable reports whether two names mean a table: one of them may leave the schema out.
func sameTable(a, b string) bool {
	if a == "" || b == "" {
		return false
	}
	if strings.Contains(a, ".") == strings.Contains(b, ".") {
		return a == b
	}
	return lastOf(a) == lastOf(b)
}

func lastOf(table string) string { return table[strings.LastIndexByte(table, '.')+1:] }

// free is a name that no kind of the system has yet.
func (s *seen) free(name string) string {
	for slices.ContainsFunc(s.kinds, func(k *seenKind) bool { return k.sample.Kind == name }) {
		name += "-2"
	}
	return name
}

// seenFiles is the configured files or, where none is, those in the folder.
func (d *discovering) seenFiles(ctx context.Context, sys config.System) (*seen, error) {
	s := &seen{sys: sys}
	for _, f := range sys.Files.List {
		k := &seenKind{sample: discover.Sample{Kind: f.Kind}, listed: true, key: f.Key, file: fileOf(f, nil)}
		s.kinds = append(s.kinds, k)
	}
	if len(s.kinds) == 0 {
		names, err := file.Candidates(sys.Files.Folder)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			kind := strings.TrimSuffix(name, name[strings.LastIndexByte(name, '.'):])
			s.kinds = append(s.kinds, &seenKind{sample: discover.Sample{Kind: s.free(discover.KindName(kind))}, file: file.File{Name: name, OpenEnd: true}})
		}
	}
	for _, k := range s.kinds {
		columns, err := file.Columns(ctx, sys.Files.Folder, k.file)
		if err != nil {
			d.note("%s of %s: %s", k.sample.Kind, sys.Name, err)
		}
		for _, c := range columns {
			k.sample.Columns = append(k.sample.Columns, discover.Column{Path: c})
		}
		k.sample.ReadOnly = k.file.Write != file.Rewrite
		if len(k.key) == 0 {
			k.file.Key, k.file.Digest = columns, true // rows are told by all of it, until somebody knows better
		}
	}
	return s, nil
}
