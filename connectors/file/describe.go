package file

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"nightporter/connectors"
	"nightporter/connectors/jsonx"
	"nightporter/sync/record"
)

// Describe reads the headers. A file that can't be read is described by the settings
// alone: tonight's may be cut off, and tomorrow's whole. Each reading says it anew, and
// jobs with other files go on.
func (c *Conn) Describe(ctx context.Context) (connectors.Description, error) {
	d := connectors.Description{Kinds: map[record.Kind]connectors.Kind{}}
	for _, name := range slices.Sorted(maps.Keys(c.kinds)) {
		op := "describe " + string(name)
		k, err := c.kind(ctx, op, name)
		if err != nil {
			return d, err
		}
		s, err := c.read(ctx, k)
		if err != nil && ctx.Err() != nil {
			return d, c.failed(ctx, op, err)
		}
		d.Kinds[name] = c.describe(k, s)
	}
	return d, nil
}

// describe is a kind as the contract has it; s is nil where the file can't be read.
func (c *Conn) describe(k *kind, s *sheet) connectors.Kind {
	d := connectors.Kind{
		IDs:      k.ids(),
		PageSize: c.cfg.PageSize,
		Create:   k.Write != Never, Update: k.Write == Rewrite, Get: true,
		Stable: true, Conditional: k.Write == Rewrite, Answers: k.Write != Never, FindAny: true,
		Required: k.required(s),
	}
	if k.Write != Never {
		// We look for the key before each row that we write: no two of ours share one.
		d.Unique = [][]string{k.keyOf(s)}
	}
	if k.OurMark != "" {
		d.Stamp = connectors.Stamp{Path: k.OurMark, Find: true, Unique: k.Write != Never}
	}
	d.ReadOnly = k.elements()
	if k.Format == CSV && k.AsTyped {
		// Nothing else makes another value of the same bytes: a file that can be read in one encoding is
		// refused in the other, and so are columns that are not found with another separator.
		d.Reads = map[string]string{"": "as typed"}
	}
	if k.Format != CSV || s == nil {
		for _, name := range k.keyOf(s) {
			d.FindBy = append(d.FindBy, []string{name})
		}
		return d
	}
	d.Fields = map[string]connectors.Field{}
	for _, name := range slices.Concat(s.names(), k.Fields, k.Key) {
		if _, err := s.newest().header.at(name); err != nil || name == k.OurMark {
			continue
		}
		if _, is := d.Fields[name]; !is {
			d.Fields[name] = connectors.Field{}
			d.FindBy = append(d.FindBy, []string{name})
		}
	}
	if len(k.Key) > 1 {
		d.FindBy = append(d.FindBy, k.keyOf(s))
	}
	return d
}

// ids says what an id is made of. A digest of a key is another id than the key itself.
func (k *kind) ids() connectors.IDs {
	of := strings.Join(k.Key, ", ")
	if k.Digest {
		of = "a digest of " + of
	}
	return connectors.IDs{Of: of, In: "file " + k.Name}
}

// elements is the mapped paths that lead into lists, which are only read.
func (k *kind) elements() map[string]string {
	out := map[string]string{}
	for _, name := range k.Fields {
		if p, err := jsonx.ParsePath(name); err == nil && k.Format != CSV && p.Numbered() {
			out[name] = jsonx.ErrElement.Error()
		}
	}
	return out
}

// required are the columns that tell a new row from others.
func (k *kind) required(s *sheet) []string {
	if k.Write == Never {
		return nil
	}
	return slices.DeleteFunc(k.keyOf(s), func(name string) bool { return name == k.OurMark })
}

// keyOf is the key by the names under which the jobs know its columns: a key telefono is
// the field phone of who maps that.
func (k *kind) keyOf(s *sheet) []string {
	out := slices.Clone(k.Key)
	for i, name := range out {
		if slices.Contains(k.Fields, name) {
			continue
		}
		if j := slices.IndexFunc(k.Fields, func(f string) bool { return s.same(f, name) }); j >= 0 {
			out[i] = k.Fields[j]
		}
	}
	return out
}

// same reports whether two names are those of one column. Without a header, which s is
// nil for, names that mean the same are.
func (s *sheet) same(a, b string) bool {
	if a == b {
		return true
	}
	if s == nil || s.file.Format != CSV {
		return s == nil && slices.Contains(synonyms(fold(a)), fold(b))
	}
	i, err := s.newest().header.at(a)
	j, other := s.newest().header.at(b)
	return err == nil && other == nil && i == j
}

func (s *sheet) newest() *part { return s.parts[len(s.parts)-1] }

// names are those of the columns, and the ones that mean the same.
func (s *sheet) names() []string {
	var out []string
	for _, name := range s.newest().header.known() {
		out = append(out, name)
		out = append(out, synonyms(fold(name))[1:]...)
	}
	return out
}

// Grants says what the user that we run as must be allowed to do.
func (c *Conn) Grants(_ context.Context, name record.Kind, _, _, _ []string) ([]string, error) {
	k, ok := c.kinds[name]
	if !ok {
		return nil, connectors.Wrong(connectors.Unsupported, "list rights for "+string(name), "no file is configured for %q", name)
	}
	if k.Write == Never {
		return []string{fmt.Sprintf("read %s in %s", k.Name, c.cfg.Folder)}, nil
	}
	return []string{fmt.Sprintf("read and write %s in %s, and make files beside it", k.Name, c.cfg.Folder)}, nil
}

// Shows says how a kind's file is read, as far as that was found out by looking.
func (c *Conn) Shows(ctx context.Context, name record.Kind) (string, error) {
	op := "look at " + string(name)
	k, err := c.kind(ctx, op, name)
	if err != nil {
		return "", err
	}
	s, err := c.read(ctx, k)
	if err != nil {
		return "", c.failed(ctx, op, err)
	}
	var files []string
	for _, p := range s.parts {
		files = append(files, p.name)
	}
	text := fmt.Sprintf("%s: %s", strings.Join(files, ", "), k.Encoding)
	if k.Format == CSV {
		text += ", separated by " + separatorName(s.newest().separator) + ", columns " + strings.Join(s.newest().header.known(), ", ")
	}
	if s.flaw != "" {
		text += "; " + s.flaw
	}
	return text, nil
}
