package file

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"nightporter/connectors/internal/dbkit"
	"nightporter/connectors/jsonx"
	"nightporter/sync/record"
)

// part is one file as it was read once.
type part struct {
	path, name string
	raw        []byte // as they lie on the disk
	info       os.FileInfo
	at         time.Time // when it was read
	text       string    // decoded, without the mark at the beginning

	format    Format
	asTyped   bool
	separator rune
	crlf      bool
	from      int // where the header begins
	header    header
	rows      []row
}

// row is one row of a part.
type row struct {
	part       *part
	line       int
	start, end int      // in the part's text, the line end included
	cells      []string // of CSV, as they stand there
	object     map[string]any

	id      string
	problem string // why it can't be read
	unread  bool   // nobody can say which record it is
}

// sheet is a kind as it was read once. It does not change.
type sheet struct {
	file  File
	parts []*part // the newest last
	rows  []row   // in the order of their ids
	at    map[string]int
	flaw  string // why it may not show all there is
	lost  bool   // rows are there that can be any record
}

func tooMany(most int) error {
	return fmt.Errorf("it has more than the %d rows of max_rows", most)
}

// parse reads the text of a part.
func (p *part) parse(f File) error {
	p.format, p.asTyped = f.Format, f.AsTyped
	var err error
	if p.text, err = decode(p.raw, f.Encoding); err != nil {
		return err
	}
	if p.text == "" && (p.format == CSV || !f.MayBeEmpty) {
		return errEmpty
	}
	if p.text != "" && !strings.HasSuffix(p.text, "\n") && !f.OpenEnd {
		return errCut
	}
	if p.format == JSONL {
		err = p.parseJSONL(f)
	} else {
		err = p.parseCSV(f)
	}
	if err != nil {
		return err
	}
	if len(p.rows) == 0 && !f.MayBeEmpty {
		return errNoRows
	}
	return p.identify(f)
}

// identify finds the rows' ids.
func (p *part) identify(f File) error {
	if p.format == CSV {
		for _, name := range f.columns() {
			if _, err := p.header.at(name); err != nil {
				return err
			}
		}
	}
	for i := range p.rows {
		w := &p.rows[i]
		if w.problem == "" {
			w.id = w.key(f)
		}
		switch {
		case w.id != "":
		case w.problem == "":
			w.problem = fmt.Sprintf("nothing in %s, which tells rows apart", strings.Join(f.Key, ", "))
			fallthrough
		default:
			w.id = "row without a key " + w.version()[:12]
			if w.unread {
				w.id = "unreadable row " + w.version()[:12]
			}
		}
	}
	return nil
}

// columns are those that the settings name.
func (f File) columns() []string {
	names := slices.Clone(f.Key)
	if f.OurMark != "" && !slices.Contains(names, f.OurMark) {
		names = append(names, f.OurMark)
	}
	return names
}

// key is the id of a row, "" where a part of its key is missing.
func (w *row) key(f File) string {
	cells := make([]dbkit.Cell, len(f.Key))
	some := false
	for i, name := range f.Key {
		v := w.value(name)
		cells[i] = dbkit.Cell{Tag: dbkit.Text, Text: v.Text()}
		if v.Text() == "" && !f.Digest {
			return ""
		}
		some = some || v.Text() != ""
	}
	if !f.Digest {
		return dbkit.JoinKey(cells)
	}
	if !some {
		return ""
	}
	var b []byte
	for _, c := range cells {
		b = c.Append(b)
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:12])
}

// value is what a row holds under a name. An empty cell holds nothing; a member that
// is not in the object is not shown.
func (w *row) value(name string) record.Value {
	if w.part.format == CSV {
		i, err := w.part.header.at(name)
		if err != nil || i >= len(w.cells) {
			return record.Value{}
		}
		return w.cell(i)
	}
	path, err := jsonx.ParsePath(name)
	if err != nil {
		return record.Value{}
	}
	a, shown := jsonx.At(w.object, path)
	if !shown {
		return record.Value{}
	}
	v, err := record.FromJSON(a)
	if err != nil {
		return record.Value{}
	}
	return v
}

func (w *row) cell(i int) record.Value {
	text := w.cells[i]
	if !w.part.asTyped {
		text = plain(text)
	}
	if text == "" {
		return record.Nothing()
	}
	return record.OfText(text)
}

// version is another one after each change of any of the row's values.
func (w *row) version() string {
	h := sha256.New()
	for _, c := range w.cells {
		h.Write(binary.AppendUvarint(nil, uint64(len(c))))
		h.Write([]byte(c))
	}
	switch {
	case w.object != nil:
		b, err := jsonx.Encode(w.object)
		if err != nil {
			b = []byte(w.part.text[w.start:w.end])
		}
		h.Write(b)
	case w.cells == nil:
		h.Write([]byte(strings.TrimRight(w.part.text[w.start:w.end], "\r\n")))
	}
	return hex.EncodeToString(h.Sum(nil)[:12])
}

// assemble makes one list of the parts, of which a later one's row stands for its key.
func assemble(f File, parts []*part) (*sheet, error) {
	s := &sheet{file: f, parts: parts, at: map[string]int{}}
	var bad []string
	for _, p := range slices.Backward(parts) {
		older := len(s.rows) // rows of later files
		for _, w := range p.rows {
			if w.problem != "" {
				bad = append(bad, w.trouble())
				s.lost = s.lost || w.unread
			}
			i, is := s.at[w.id]
			switch {
			case !is:
				s.at[w.id] = len(s.rows)
				s.rows = append(s.rows, w)
			case i < older, w.problem != "":
			default:
				s.rows[i].double(w)
			}
		}
	}
	if len(s.rows) > f.MaxRows {
		return nil, tooMany(f.MaxRows)
	}
	slices.SortFunc(s.rows, func(a, b row) int { return cmp.Compare(a.id, b.id) })
	for i, w := range s.rows {
		s.at[w.id] = i
	}
	if len(bad) > 0 {
		s.flaw = bad[0]
		if len(bad) > 1 {
			s.flaw = fmt.Sprintf("%s, and %d more rows like it", bad[0], len(bad)-1)
		}
	}
	return s, nil
}

// double notes that another row has the same key. Which of them is the record nobody
// can say.
func (w *row) double(other row) {
	if w.problem == "" {
		w.problem = fmt.Sprintf("its key stands in line %d, too", other.line)
	} else {
		w.problem += fmt.Sprintf(" and in line %d", other.line)
	}
}

// trouble is where a row stands and why it can't be read.
func (w *row) trouble() string { return fmt.Sprintf("%s, line %d: %s", w.part.name, w.line, w.problem) }

// The reasons why a file is not taken for whole.
var (
	errEmpty  = errors.New("it is empty")
	errNoRows = errors.New("it has no rows: if that may be, say may_be_empty: true")
	errCut    = errors.New("its last line has no end: it may be half written; if the program that writes it leaves it out, say open_end: true")
)
