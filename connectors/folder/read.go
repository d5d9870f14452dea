package folder

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"nightporter/connectors/internal/dockit"
)

// errWritten is that a file is being written.
var errWritten = errors.New("it is being written")

// errEmpty is that there is nothing in a file: it says nothing that could stand in the place
// of the version before.
var errEmpty = errors.New("it is empty: write it anew, or remove it if its document is to go")

// errFolderName is that a folder can't be looked into, whatever is in it.
var errFolderName = errors.New("its name is no UTF-8, as a ? shows, so that nothing in it can be read: rename the folder")

// errFileName is that a document can't be told by its path, which no system would keep.
var errFileName = errors.New("its name is no UTF-8, as a ? shows, and no system could keep it: rename the file")

// headMost bounds what is read of a document for what it says of itself.
const headMost = 64 << 10

// look reads the whole folder.
func (c *Conn) look(ctx context.Context) (dockit.Listing, error) {
	root, err := os.OpenRoot(c.cfg.Folder)
	if err != nil {
		return dockit.Listing{}, err
	}
	defer root.Close()
	l := dockit.Listing{Bad: map[string]error{}}
	var written, flaws []string
	there := map[string]bool{}
	err = fs.WalkDir(root.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case name == ".":
			return err
		case hidden(e.Name()):
			if e.IsDir() {
				return fs.SkipDir
			}
			return nil
		case err != nil: // a folder that can't be read: what is in it is not known
			return err
		case e.IsDir() && !utf8.ValidString(name):
			if !c.excludesAll(name) {
				shown := legible(name)
				l.Bad[shown] = errFolderName
				flaws = append(flaws, shown+" can't be looked into")
			}
			return fs.SkipDir // what is in it has no path
		case e.IsDir() || !c.wanted(name):
			return nil
		}
		there[name] = true
		d, err := c.file(root, name)
		switch {
		case errors.Is(err, errNone):
		case errors.Is(err, errWritten):
			written = append(written, legible(name))
		case !utf8.ValidString(name):
			d.Path = legible(name)
			l.Bad[d.Path] = errFileName
			l.Unnamed = append(l.Unnamed, d)
		case err != nil:
			l.Bad[legible(name)] = err
		default:
			l.Docs = append(l.Docs, d)
		}
		return nil
	})
	c.seen.only(there)
	if len(written) > 0 {
		flaws = append(flaws, strings.Join(written, ", ")+" is being written")
	}
	l.Flaw = strings.Join(flaws, "; ")
	return l, err
}

// legible is a path that can be shown: what is no letter in UTF-8 is a question mark.
func legible(name string) string { return strings.ToValidUTF8(name, "?") }

// excludesAll reports whether nothing in a folder can be a document.
func (c *Conn) excludesAll(name string) bool {
	return slices.ContainsFunc(c.cfg.Exclude, func(p string) bool { return strings.HasSuffix(p, "/**") && fits(p, name) })
}

// hidden reports whether a name is none that a person gave a document: hidden, a lock of
// an office program, a copy or half a file.
func hidden(name string) bool {
	if strings.HasPrefix(name, ".") || strings.HasPrefix(name, "~$") || strings.HasSuffix(name, "~") {
		return true
	}
	return slices.Contains([]string{".tmp", ".part", ".crdownload", ".swp"}, strings.ToLower(path.Ext(name)))
}

// wanted reports whether a file is to be a document, by its path.
func (c *Conn) wanted(name string) bool {
	if slices.ContainsFunc(strings.Split(name, "/"), hidden) {
		return false
	}
	if dockit.MediaOf(name) == "" || fitsAny(c.cfg.Exclude, name) {
		return false
	}
	return len(c.cfg.Include) == 0 || fitsAny(c.cfg.Include, name)
}

// errNone is that a file is no document: a link that leads out of the folder, a pipe, or
// one that says of itself that it is not to be published.
var errNone = errors.New("it is no document")

// file reads one file.
func (c *Conn) file(root *os.Root, name string) (dockit.Doc, error) {
	none := dockit.Doc{}
	begun := c.cfg.now()
	before, err := root.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist): // it went meanwhile, or the link leads nowhere
		return none, errNone
	case err != nil && linked(root, name):
		return none, errNone
	case err != nil:
		return none, plainly(err)
	case !before.Mode().IsRegular():
		return none, errNone
	case before.Size() > c.cfg.MaxBytes:
		return none, dockit.TooLarge(before.Size(), c.cfg.MaxBytes)
	}
	if age := c.cfg.now().Sub(before.ModTime()).Abs(); age < c.cfg.Unchanged {
		return none, errWritten
	}
	if before.Size() == 0 { // cut to be written anew, by what takes longer than that
		return none, errEmpty
	}
	looked := c.cfg.now()
	mark, can := imprintOf(before)
	if can {
		if d, err, known := c.seen.of(name, mark, begun); known {
			return d, err
		}
	}
	c.cfg.read(name)
	head, digest, size, err := readAll(root, name)
	if err != nil {
		return none, err
	}
	after, err := root.Stat(name)
	if err != nil || size != before.Size() || after.Size() != size || !after.ModTime().Equal(before.ModTime()) {
		return none, errWritten
	}
	d := dockit.Doc{Path: name, Digest: digest, Size: size, Language: c.cfg.Language, Tags: slices.Clone(c.cfg.Tags)}
	for _, r := range c.cfg.ByPath {
		if fits(r.Match, name) {
			d.Tags = append(d.Tags, r.Tags...)
			if r.Language != "" {
				d.Language = r.Language
			}
		}
	}
	if dockit.MediaOf(name) == "text/markdown" {
		err = describe(&d, head)
	}
	if can {
		c.seen.keep(name, mark, d, err, begun, looked)
	}
	return d, err
}

// linked reports whether a name is a link.
func linked(root *os.Root, name string) bool {
	info, err := root.Lstat(name)
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}

// plainly is an error without the path, which stands beside it already.
func plainly(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("%s it: %w", e.Op, e.Err)
	}
	return err
}

func readAll(root *os.Root, name string) (head []byte, digest string, size int64, err error) {
	f, err := root.Open(name)
	if err != nil {
		return nil, "", 0, plainly(err)
	}
	defer f.Close()
	h := sha256.New()
	var b bytes.Buffer
	if _, err = io.CopyN(io.MultiWriter(h, &b), f, headMost); err != nil && !errors.Is(err, io.EOF) {
		return nil, "", 0, plainly(err)
	}
	rest, err := io.Copy(h, f)
	if err != nil {
		return nil, "", 0, plainly(err)
	}
	return b.Bytes(), hex.EncodeToString(h.Sum(nil)), int64(b.Len()) + rest, nil
}

// matter is what a Markdown document says of itself between two lines of dashes.
type matter struct {
	Title    string `yaml:"title"`
	Language string `yaml:"language"`
	Lang     string `yaml:"lang"`
	Tags     texts  `yaml:"tags"`
	Draft    bool   `yaml:"draft"`
}

// texts is a list, or one text with commas.
type texts []string

// UnmarshalYAML reads either.
func (t *texts) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind != yaml.ScalarNode {
		return n.Decode((*[]string)(t))
	}
	for part := range strings.SplitSeq(n.Value, ",") {
		if part = strings.TrimSpace(part); part != "" {
			*t = append(*t, part)
		}
	}
	return nil
}

// errNoEnd is that a document begins to say something of itself, and it can't be told where
// that ends: it may say that it is a draft.
var errNoEnd = fmt.Errorf("it begins with a line of dashes and keys, and no second such line is in its first %d KiB: "+
	"end the keys with a line of ---, or write *** where a rule across the page is meant", headMost>>10)

// keyed is how a line begins that says something of a document.
var keyed = regexp.MustCompile(`^\{?\s*["']?[A-Za-z][\w-]*["']?\s*:(\s|$)`)

// frontOf is what a document says of itself: what stands between its first line, one of
// dashes, and the next such line or one of three points, after as many empty lines as stand
// before it, so that an error names the lines of the file. It is empty where there is none.
func frontOf(text string) (string, error) {
	lines := strings.Split(strings.TrimPrefix(text, "\uFEFF"), "\n")
	for i, line := range lines { // what no editor shows counts for nothing
		lines[i] = strings.TrimRightFunc(line, unicode.IsSpace)
	}
	begin := slices.IndexFunc(lines, func(line string) bool { return line != "" })
	if begin < 0 || lines[begin] != "---" {
		return "", nil
	}
	rest := lines[begin+1:]
	end := slices.IndexFunc(rest, func(line string) bool { return line == "---" || line == "..." })
	switch {
	case end >= 0:
		return strings.Repeat("\n", begin+1) + strings.Join(rest[:end], "\n"), nil
	case saysKeys(rest):
		return "", errNoEnd
	}
	return "", nil // a rule across the page
}

// saysKeys reports whether the first line that says anything, and is no comment, has a key.
func saysKeys(lines []string) bool {
	i := slices.IndexFunc(lines, func(line string) bool { return line != "" && !strings.HasPrefix(strings.TrimSpace(line), "#") })
	return i >= 0 && keyed.MatchString(strings.TrimSpace(lines[i]))
}

// describe takes over what a document says of itself.
func describe(d *dockit.Doc, head []byte) error {
	front, err := frontOf(string(head))
	if err != nil {
		return err
	}
	var m matter
	if err := yaml.Unmarshal([]byte(front), &m); err != nil {
		return fmt.Errorf("what stands between the lines of dashes at its beginning can't be read: %w", err)
	}
	if m.Draft {
		return errNone
	}
	if m.Title != "" {
		d.Title = m.Title
	}
	if m.Lang != "" {
		d.Language = m.Lang
	}
	if m.Language != "" {
		d.Language = m.Language
	}
	d.Tags = append(d.Tags, m.Tags...)
	return nil
}
