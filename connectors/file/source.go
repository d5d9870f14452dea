package file

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"nightporter/connectors"
)

// A file that another program is just writing is read again a little later, before it
// is called unreadable.
const (
	tries   = 3
	pause   = 200 * time.Millisecond
	patient = 10 // tries, while it changes
	// waitMost bounds how long a read waits for a file to have stood unchanged.
	waitMost = 5 * time.Second
	// settled is how old a change must be for its time to tell it from a later one.
	settled = 2 * time.Second
)

// errChanging is a file that was written while it was read.
var errChanging = errors.New("it was changed while it was read")

// names are the files of a kind that count now, the newest by name last.
func (c *Conn) names(f File) ([]string, error) {
	if !f.pattern() {
		if err := c.done(f, f.Name); err != nil {
			return nil, err
		}
		return []string{f.Name}, nil
	}
	all, err := os.ReadDir(c.cfg.Folder)
	if err != nil {
		return nil, err
	}
	var out []string
	waiting := 0
	for _, e := range all {
		name := e.Name()
		if fits, _ := filepath.Match(f.Name, name); !fits || e.IsDir() || strings.HasPrefix(name, ".") || f.unfinished(name) {
			continue
		}
		if c.done(f, name) != nil {
			waiting++
			continue
		}
		out = append(out, name)
	}
	switch {
	case len(out) == 0 && waiting > 0:
		return nil, notYetError(fmt.Sprintf("%s: none of %d files has its %s file yet", f.Name, waiting, f.Done))
	case len(out) == 0:
		return nil, fmt.Errorf("%s: %w", f.Name, errNoFile)
	}
	slices.Sort(out)
	if f.Several == Newest {
		out = out[len(out)-1:]
	}
	return out, nil
}

// notYetError is why a file is not read now and may be later.
type notYetError string

func (e notYetError) Error() string { return string(e) }

// errNoFile is a kind without a file.
var errNoFile = errors.New("there is no such file")

// unfinished reports whether a name says that its file is still being written.
func (f File) unfinished(name string) bool {
	return slices.ContainsFunc(f.Unfinished, func(end string) bool { return strings.HasSuffix(name, end) }) ||
		f.Done != "" && strings.HasSuffix(name, f.Done)
}

// done says why a file doesn't count yet: the one that is put beside it when it is
// whole is missing, or is that of an older one.
func (c *Conn) done(f File, name string) error {
	if f.Done == "" {
		return nil
	}
	sign, err := os.Stat(c.path(name + f.Done))
	if errors.Is(err, fs.ErrNotExist) {
		return notYetError(fmt.Sprintf("%s: its %s file is not there yet", name, f.Done))
	}
	if err != nil {
		return err
	}
	st, err := os.Stat(c.path(name))
	if err == nil && sign.ModTime().Before(st.ModTime()) {
		return notYetError(fmt.Sprintf("%s: its %s file is older than it is: it may be written anew", name, f.Done))
	}
	return nil // a missing file is said by who reads it
}

func (c *Conn) path(name string) string { return filepath.Join(c.cfg.Folder, name) }

// read is a kind as it is now. What was read before is used again where the bytes are
// the same.
func (c *Conn) read(ctx context.Context, k *kind) (*sheet, error) {
	for n := 1; ; n++ {
		s, err := c.readOnce(ctx, k)
		again := errors.Is(err, errChanging) && n < patient || errors.Is(err, errCut) && n < tries
		if !again {
			return s, err
		}
		if err := wait(ctx, pause); err != nil {
			return nil, err
		}
	}
}

func (c *Conn) readOnce(ctx context.Context, k *kind) (*sheet, error) {
	if err := alive(ctx); err != nil {
		return nil, err
	}
	if err := c.tidy(ctx, k); err != nil {
		return nil, err
	}
	return c.load(ctx, k)
}

// load reads a kind while nobody of ours writes it.
func (c *Conn) load(ctx context.Context, k *kind) (*sheet, error) {
	names, err := c.names(k.File)
	if err != nil {
		return nil, err
	}
	if err := c.fresh(k.File, names); err != nil {
		return nil, err
	}
	old := k.last()
	left := k.MaxBytes
	parts, same := make([]*part, len(names)), true
	for i, name := range names {
		p := &part{name: name, path: c.path(name)}
		if known := old.untouched(p.path); known != nil {
			parts[i], left = known, left-int64(len(known.raw))
			continue
		}
		if err := c.bytes(ctx, k, p, left); err != nil {
			return nil, fmt.Errorf("%s: %w%s", name, err, k.toMake(err))
		}
		left -= int64(len(p.raw))
		if known := old.alike(p); known != nil {
			parts[i] = known
			continue
		}
		if err := p.parse(k.File); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		parts[i], same = p, false
	}
	if same && old != nil && len(old.parts) == len(parts) {
		again := *old
		again.parts = parts
		k.keep(&again)
		return &again, nil
	}
	s, err := assemble(k.File, parts)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", k.Name, err)
	}
	k.keep(s)
	return s, nil
}

// toMake says how a file that is to be written begins: none is made in place of one that
// somebody has moved away.
func (k *kind) toMake(err error) string {
	if k.Write == Never || !errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	if k.Format != CSV {
		return "; make it, empty"
	}
	names := k.columns()
	for _, name := range k.Fields {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return "; make it with the names of its columns in its first line: " + strings.Join(names, ",")
}

// untouched is the part that was read from a path, if the file's times say for sure that
// it is as it was. One that had just been changed when it was read may have been changed
// again within the same tick of the disk's clock.
func (s *sheet) untouched(path string) *part {
	if s == nil {
		return nil
	}
	for _, known := range s.parts {
		if known.path != path || known.info == nil || known.at.Sub(known.info.ModTime()) < settled {
			continue
		}
		now, err := os.Stat(path)
		if err == nil && os.SameFile(now, known.info) && now.Size() == known.info.Size() && now.ModTime().Equal(known.info.ModTime()) {
			return known
		}
	}
	return nil
}

// alike is the part of s that has the same bytes.
func (s *sheet) alike(p *part) *part {
	if s == nil {
		return nil
	}
	for _, known := range s.parts {
		if known.path == p.path && bytes.Equal(known.raw, p.raw) {
			known := *known
			known.info, known.at = p.info, p.at
			return &known
		}
	}
	return nil
}

// bytes reads a file as it stood at one moment.
func (c *Conn) bytes(ctx context.Context, k *kind, p *part, most int64) error {
	if err := still(ctx, p.path, k.Unchanged); err != nil {
		return err
	}
	in, err := os.Open(p.path)
	if err != nil {
		return err
	}
	defer in.Close()
	if p.info, err = in.Stat(); err != nil {
		return err
	}
	if !p.info.Mode().IsRegular() {
		return errors.New("it is no file")
	}
	if p.info.Size() > most {
		return fmt.Errorf("%d bytes are more than the %d MB of max_mb", p.info.Size(), k.MaxBytes>>20)
	}
	p.at = time.Now()
	if err := c.step("read"); err != nil {
		return err
	}
	if p.raw, err = io.ReadAll(io.LimitReader(in, most+1)); err != nil {
		return err
	}
	after, err := in.Stat()
	if err != nil {
		return err
	}
	if int64(len(p.raw)) != p.info.Size() || p.info.Size() != after.Size() || !p.info.ModTime().Equal(after.ModTime()) || c.noted(k) {
		return errChanging
	}
	return nil
}

// errStale is a file whose export stopped coming.
var errStale = errors.New("its export seems to have stopped coming")

// fresh says of files of which none was written for too long that their export stopped
// coming. A time that lies ahead says nothing.
func (c *Conn) fresh(f File, names []string) error {
	if f.StaleAfter <= 0 {
		return nil
	}
	var last time.Time
	newest := ""
	for _, name := range names {
		st, err := os.Stat(c.path(name))
		if err != nil {
			return err
		}
		if st.ModTime().After(last) {
			last, newest = st.ModTime(), name
		}
	}
	age := time.Since(last)
	if age <= f.StaleAfter {
		return nil
	}
	return fmt.Errorf("%s: %w: it was written last %s ago, and stale_after is %s", newest, errStale, age.Round(time.Minute), f.StaleAfter)
}

// still waits until a file has not been changed for so long. A time that lies ahead
// says nothing.
func still(ctx context.Context, path string, length time.Duration) error {
	for length > 0 {
		st, err := os.Stat(path)
		if err != nil {
			return err
		}
		age := time.Since(st.ModTime())
		left := length - age
		if left <= 0 || age < -length {
			return nil
		}
		if left > waitMost {
			return notYetError(fmt.Sprintf("it was changed %s ago and is read when it has stood for %s", age.Round(time.Second), length))
		}
		if err := wait(ctx, left); err != nil {
			return err
		}
	}
	return nil
}

func wait(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// alive is why a call is over before it has begun.
func alive(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return context.Cause(ctx)
}

// failed is an error of reading as the contract wants it.
func (c *Conn) failed(ctx context.Context, op string, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return &connectors.Error{Class: connectors.Transient, Op: op, Host: c.cfg.Folder, Err: cause}
	}
	if e, ok := errors.AsType[*connectors.Error](err); ok {
		own := *e
		own.Op, own.Host = op, c.cfg.Folder
		return &own
	}
	e := &connectors.Error{Class: connectors.Malformed, Op: op, Host: c.cfg.Folder, Err: err}
	if _, later := errors.AsType[notYetError](err); later {
		e.Class = connectors.Transient
	}
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, errNoFile):
		e.Class, e.Hint = connectors.Transient, "a file that is missing is never taken for an empty list"
	case errors.Is(err, fs.ErrPermission):
		e.Class, e.Hint = connectors.Forbidden, "let the user that nightporter runs as read the file"
	case errors.Is(err, errStale):
		e.Class, e.Hint = connectors.Transient, "look at the program that writes the file; nothing is decided by an old one"
	case errors.Is(err, errEmpty), errors.Is(err, errNoRows), errors.Is(err, errCut), errors.Is(err, errChanging):
		e.Class = connectors.Transient
	}
	return e
}
