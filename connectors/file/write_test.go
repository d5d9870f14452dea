package file_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"nightporter/connectors"
	"nightporter/connectors/file"
	"nightporter/sync/record"
)

// house is a file, and a connector that writes it.
type house struct {
	path string
	conn *file.Conn
}

func newHouse(t testing.TB, f file.File, text string, step func(string) error) house {
	t.Helper()
	dir := t.TempDir()
	h := house{path: filepath.Join(dir, f.Name)}
	if err := errors.Join(os.WriteFile(h.path, []byte(text), 0o600), os.Chmod(h.path, 0o660)); err != nil {
		t.Fatal(err)
	}
	if f.Key == nil {
		f.Key = []string{"id"}
	}
	var err error
	h.conn, err = file.Open(file.Config{Folder: dir, Files: map[record.Kind]file.File{"guests": f}}.WithSteps(step))
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func (h house) text(t testing.TB) string {
	t.Helper()
	b, err := os.ReadFile(h.path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// left is what stands beside the file, but for the lock.
func (h house) left(t testing.TB) []string {
	t.Helper()
	all, err := os.ReadDir(filepath.Dir(h.path))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range all {
		if e.Name() != filepath.Base(h.path) && !strings.HasSuffix(e.Name(), "-lock") {
			out = append(out, e.Name())
		}
	}
	return out
}

// fieldsOf makes texts of names and values that take turns.
func fieldsOf(pairs ...string) record.Fields {
	f := record.Fields{}
	for i := 0; i < len(pairs); i += 2 {
		f[pairs[i]] = record.OfText(pairs[i+1])
	}
	return f
}

func create(pairs ...string) record.Change {
	return record.Change{ID: "1", Op: record.Create, Ref: record.Ref{Kind: "guests"}, Fields: fieldsOf(pairs...)}
}

func update(id string, pairs ...string) record.Change {
	return record.Change{ID: "2", Op: record.Update, Ref: record.Ref{Kind: "guests", ID: id}, Fields: fieldsOf(pairs...)}
}

// A write changes its own row alone: all other bytes stay as they were.
func TestBytes(t *testing.T) {
	const odd = "\ufeffid;nome;note\r\n1;\"Anna\";\" a \"\"b\"\"\r\nc \"\r\n\r\n2;Bruno;'+39\r\n3;Zoë;=1+1\r\n"
	for _, tt := range []struct {
		name string
		f    file.File
		text string
		ch   record.Change
		want string
	}{
		{"append", file.File{Write: file.Append}, odd, create("id", "4", "nome", "Da;rio"), odd + "4;\"Da;rio\";\r\n"},
		{"append to a header", file.File{Write: file.Append}, "id,nome\n", create("id", "1", "nome", "x\r\ny"), "id,nome\n1,\"x\r\ny\"\n"},
		{"append where the end is open", file.File{Write: file.Append, OpenEnd: true}, "id,nome\r\n1,A", create("id", "2"), "id,nome\r\n1,A\r\n2,\r\n"},
		{"append with our mark", file.File{Write: file.Append, OurMark: "ref"}, "id,ref\n", marked(create("id", "1"), "np:x"), "id,ref\n1,np:x\n"},
		{"our mark is the key", file.File{Write: file.Append, OurMark: "id"}, "id,nome\n", marked(create("nome", "A"), "np:x"), "id,nome\nnp:x,A\n"},
		{"change", file.File{Write: file.Rewrite}, odd, update("2", "nome", "Bruno B."), strings.Replace(odd, "2;Bruno;", "2;Bruno B.;", 1)},
		{"empty", file.File{Write: file.Rewrite}, odd, update("1", "note", ""), strings.Replace(odd, "1;\"Anna\";\" a \"\"b\"\"\r\nc \"", "1;Anna;", 1)},
		{"change the last, whose end is open", file.File{Write: file.Rewrite, OpenEnd: true}, "id,nome\n1,A", update("1", "nome", "B"), "id,nome\n1,B"},
		{"a formula", file.File{Write: file.Rewrite}, "id,nome\n1,A\n", update("1", "nome", "=HYPERLINK(1)"), "id,nome\n1,'=HYPERLINK(1)\n"},
		{"a formula, as typed", file.File{Write: file.Rewrite, AsTyped: true}, "id,nome\n1,A\n", update("1", "nome", "=1"), "id,nome\n1,=1\n"},
		{"a phone", file.File{Write: file.Rewrite}, "id,nome\n1,A\n", update("1", "nome", "+39 055 1"), "id,nome\n1,+39 055 1\n"},
		{"Windows-1252", file.File{Write: file.Rewrite, Encoding: file.Windows1252}, "id,nome\n1,Zo\xeb\n2,\x80\x81\n", update("1", "nome", "Müller"), "id,nome\n1,M\xfcller\n2,\x80\x81\n"},
		{"JSON", file.File{Name: "g.jsonl", Write: file.Rewrite}, "{\"id\":\"1\",  \"n\":1.50}\n{\"id\":\"2\",\"n\":1.50,\"a\":{\"b\":1}}\n", update("2", "a.c", "<x>"), "{\"id\":\"1\",  \"n\":1.50}\n{\"a\":{\"b\":1,\"c\":\"<x>\"},\"id\":\"2\",\"n\":1.50}\n"},
		{"JSON, appended", file.File{Name: "g.jsonl", Write: file.Append}, "", create("id", "1"), "{\"id\":\"1\"}\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.f.Name == "" {
				tt.f.Name = "g.csv"
			}
			h := newHouse(t, tt.f, tt.text, nil)
			if _, err := h.conn.Apply(t.Context(), tt.ch); err != nil {
				t.Fatal(err)
			}
			if got := h.text(t); got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
			if left := h.left(t); len(left) > 0 {
				t.Errorf("%v is left beside the file", left)
			}
			st, err := os.Stat(h.path)
			if err != nil || st.Mode().Perm() != 0o660 {
				t.Errorf("mode %v, %v, want that of before", st.Mode(), err)
			}
		})
	}
}

func marked(ch record.Change, mark string) record.Change {
	ch.Stamp = mark
	return ch
}

// What can't be written as it was sent is refused, and the file stays as it is.
func TestRefused(t *testing.T) {
	const text = "id,nome,ref\n1,Anna,np:a\n2,Bruno,\n"
	old := update("1", "nome", "x")
	old.Before = fieldsOf("nome", "Ann")
	twin := update("1", "nome", "x")
	twin.Fields["Nome"] = record.OfText("y")
	list := update("1", "nome", "x")
	list.Fields["nome"] = record.OfList(record.OfText("x"))
	for _, tt := range []struct {
		name  string
		f     file.File
		text  string
		ch    record.Change
		class connectors.ErrorClass
	}{
		{"a key that is there", file.File{Write: file.Append}, text, create("id", "2"), connectors.Exists},
		{"a mark that is there", file.File{Write: file.Append, OurMark: "ref"}, text, marked(create("id", "3"), "np:a"), connectors.Exists},
		{"a key that is there twice", file.File{Write: file.Append}, text + "2,B,\n", create("id", "2"), connectors.Exists},
		{"no key", file.File{Write: file.Append}, text, create("nome", "C"), connectors.Rejected},
		{"the mark as a field", file.File{Write: file.Append, OurMark: "ref"}, text, create("id", "3", "ref", "x"), connectors.Rejected},
		{"the key changed", file.File{Write: file.Rewrite}, text, update("1", "ID", "3"), connectors.Rejected},
		{"no such row", file.File{Write: file.Rewrite}, text, update("9", "nome", "x"), connectors.NotFound},
		{"a row of two", file.File{Write: file.Rewrite}, text + "2,B,\n", update("2", "nome", "x"), connectors.Stale},
		{"a row that was another one", file.File{Write: file.Rewrite}, text, old, connectors.Stale},
		{"the key of another row", file.File{Write: file.Rewrite}, text, update("1", "id", "2"), connectors.Rejected},
		{"the mark in another case", file.File{Write: file.Rewrite, OurMark: "ref"}, text, update("1", "Ref", "x"), connectors.Rejected},
		{"a write that is wanted no more", file.File{Write: file.Append}, text, create("id", "3", "nome", "kept back"), connectors.Transient},
		{"no such column", file.File{Write: file.Rewrite}, text, update("1", "city", "x"), connectors.Malformed},
		{"a column under two names", file.File{Write: file.Rewrite}, text, twin, connectors.Rejected},
		{"a list", file.File{Write: file.Rewrite}, text, list, connectors.Rejected},
		{"no letter for it", file.File{Write: file.Rewrite, Encoding: file.Windows1252}, text, update("1", "nome", "日本"), connectors.Rejected},
		{"beside what can't be read", file.File{Write: file.Append}, text + "3,a,b,c\n", create("id", "4"), connectors.Forbidden},
		{"no more rows", file.File{Write: file.Append, MaxRows: 2}, text, create("id", "3"), connectors.Forbidden},
		{"no more bytes", file.File{Write: file.Append, MaxBytes: int64(len(text)) + 3}, text, create("id", "3"), connectors.Forbidden},
		{"an update where rows are appended", file.File{Write: file.Append}, text, update("1", "nome", "x"), connectors.Forbidden},
		{"half a row", file.File{Write: file.Append}, text + "3,Ca", create("id", "4"), connectors.Transient},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.f.Name = "g.csv"
			h := newHouse(t, tt.f, tt.text, nil)
			ctx := connectors.WithGate(t.Context(), func(context.Context) error {
				if tt.ch.Fields["nome"].Text() == "kept back" {
					return errDisk
				}
				return nil
			})
			_, err := h.conn.Apply(ctx, tt.ch)
			if connectors.ClassOf(err) != tt.class || err == nil {
				t.Errorf("got %v, want %s", err, tt.class)
			}
			if got := h.text(t); got != tt.text || len(h.left(t)) > 0 {
				t.Errorf("the file is %q, beside it %v", got, h.left(t))
			}
		})
	}
}

var errDisk = errors.New("the disk says no")

// steps are what is done to the disk, in order.
func steps(t testing.TB, w file.Write) []string {
	t.Helper()
	var out []string
	h := newHouse(t, file.File{Name: "g.csv", Write: w}, before, func(name string) error {
		out = append(out, name)
		return nil
	})
	if _, err := h.conn.Apply(t.Context(), create("id", "3", "nome", "Carla")); err != nil {
		t.Fatal(err)
	}
	return out
}

const (
	before = "id,nome\n1,Anna\n2,Bruno\n"
	after  = before + "3,Carla\n"
)

// A disk that fails at any step: unless it is said that nobody knows, the file is as it
// was; and the same row, sent again, stands there once.
func TestFailsAtEachStep(t *testing.T) {
	for _, w := range []file.Write{file.Append, file.Rewrite} {
		for _, at := range steps(t, w) {
			t.Run(string(w)+" "+at, func(t *testing.T) {
				failing := true
				var h house
				h = newHouse(t, file.File{Name: "g.csv", Write: w}, before, func(name string) error {
					if failing && name == at {
						if at == "append" { // half of it goes through
							return errors.Join(os.WriteFile(h.path, []byte(before+"3,Ca"), 0o600), errDisk)
						}
						return errDisk
					}
					return nil
				})
				_, err := h.conn.Apply(t.Context(), create("id", "3", "nome", "Carla"))
				switch class := connectors.ClassOf(err); {
				case err == nil && at == "clear":
				case class == connectors.Transient && errors.Is(err, errDisk):
					if got := h.text(t); got != before || len(h.left(t)) > 0 {
						t.Errorf("it failed, and the file is %q, beside it %v", got, h.left(t))
					}
				case class == connectors.Ambiguous && slices.Contains([]string{"sync", "folder"}, at):
				default:
					t.Errorf("got %v", err)
				}
				failing = false
				_, err = h.conn.Apply(t.Context(), create("id", "3", "nome", "Carla"))
				if err != nil && connectors.ClassOf(err) != connectors.Exists {
					t.Errorf("again: %v", err)
				}
				if got := h.text(t); got != after || len(h.left(t)) > 0 {
					t.Errorf("at last the file is %q, beside it %v", got, h.left(t))
				}
			})
		}
	}
}

// Somebody else's edit in the last moment is not overwritten.
func TestEditedMeanwhile(t *testing.T) {
	for w, at := range map[file.Write]string{file.Append: "make note", file.Rewrite: "make new"} {
		var h house
		h = newHouse(t, file.File{Name: "g.csv", Write: w}, before, func(name string) error {
			if name == at {
				return os.WriteFile(h.path, []byte(before+"9,Desk\n"), 0o600)
			}
			return nil
		})
		_, err := h.conn.Apply(t.Context(), create("id", "3"))
		if connectors.ClassOf(err) != connectors.Transient {
			t.Errorf("%s: got %v, want transient", w, err)
		}
		if got := h.text(t); got != before+"9,Desk\n" || len(h.left(t)) > 0 {
			t.Errorf("%s: the file is %q, beside it %v", w, got, h.left(t))
		}
	}
}

// Also an edit of the same length in the same tick of the disk's clock is noticed when it
// is read, and a file of the same length and time in the place of one that was read.
func TestUnnoticed(t *testing.T) {
	h := newHouse(t, file.File{Name: "g.csv"}, before, nil)
	for name, store := range map[string]func(at time.Time) error{
		"edited": func(time.Time) error { return os.WriteFile(h.path, []byte("id,nome\n1,Anne\n2,Bruno\n"), 0o600) },
		"replaced": func(at time.Time) error {
			other := filepath.Join(t.TempDir(), "other")
			return errors.Join(os.WriteFile(other, []byte("id,nome\n1,Anne\n2,Bruno\n"), 0o600), os.Chtimes(other, at, at), os.Rename(other, h.path))
		},
	} {
		at := time.Now()
		if name == "replaced" {
			at = at.Add(-time.Hour)
		}
		if err := errors.Join(os.WriteFile(h.path, []byte(before), 0o600), os.Chtimes(h.path, at, at)); err != nil {
			t.Fatal(err)
		}
		first, _, err := listed(t, h.conn)
		if err = errors.Join(err, store(at), os.Chtimes(h.path, at, at)); err != nil {
			t.Fatal(err)
		}
		second, _, err := listed(t, h.conn)
		if err != nil || first["1"] == second["1"] {
			t.Errorf("%s: %v, then %v, %v", name, first, second, err)
		}
	}
}

// A file that is written while it is read is read once more, and not for ever.
func TestWrittenWhileRead(t *testing.T) {
	var h house
	times := 0
	h = newHouse(t, file.File{Name: "g.csv"}, before, func(string) error {
		if times--; times >= 0 {
			at := time.Unix(1_900_000_000+int64(times), 0) // a disk's clock may stand still between two
			return errors.Join(os.WriteFile(h.path, []byte(after), 0o600), os.Chtimes(h.path, at, at))
		}
		return nil
	})
	times = 2
	if got, _, err := listed(t, h.conn); err != nil || len(got) != 3 {
		t.Errorf("written twice: %v, %v", got, err)
	}
	times = 100
	if _, _, err := listed(t, h.conn); connectors.ClassOf(err) != connectors.Transient || !strings.Contains(err.Error(), "it was changed while it was read") {
		t.Errorf("written all the time: %v", err)
	}
}

// A link to a file stays one, and what it leads to is written.
func TestLink(t *testing.T) {
	h := newHouse(t, file.File{Name: "g.csv", Write: file.Rewrite}, before, nil)
	target := filepath.Join(t.TempDir(), "real.csv")
	if err := errors.Join(os.Rename(h.path, target), os.Symlink(target, h.path)); err != nil {
		t.Fatal(err)
	}
	if _, err := h.conn.Apply(t.Context(), create("id", "3", "nome", "Carla")); err != nil {
		t.Fatal(err)
	}
	if st, err := os.Lstat(h.path); err != nil || st.Mode()&os.ModeSymlink == 0 {
		t.Error("the link is none any more")
	}
	if b, err := os.ReadFile(target); err != nil || string(b) != after {
		t.Errorf("%q, %v", b, err)
	}
}

// A cell is read as the value that was written, and no spreadsheet reckons with it.
func TestNeutralLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.StringMatching(`['=+\-@\t\r\n]{0,3}.{0,5}`).Draw(t, "value")
		cell := file.Neutral(v)
		if got := file.Plain(cell); got != v {
			t.Errorf("%q is written as %q and read as %q", v, cell, got)
		}
		if cell != "" && strings.ContainsAny(cell[:1], "=+-@\t\r\n") && strings.ContainsAny(cell, "=@!|ABCDEFabcdef\t\n\r") {
			t.Errorf("%q is written as %q", v, cell)
		}
	})
	for v, want := range map[string]string{
		"+390550001": "+390550001", "-12,50": "-12,50", "+1 (055) 22-3": "+1 (055) 22-3", "=1": "'=1", "@SUM(A1)": "'@SUM(A1)",
		"+A1": "'+A1", "-cmd|' /C'!A0": "'-cmd|' /C'!A0", "\t=1": "'\t=1", "'=1": "''=1", "'+39": "''+39", "Anna": "Anna", "'ndrangheta": "'ndrangheta", "": "",
	} {
		if got := file.Neutral(v); got != want || file.Plain(got) != v {
			t.Errorf("%q is written as %q and read as %q, want %q", v, got, file.Plain(got), want)
		}
	}
}
