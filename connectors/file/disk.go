package file

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"

	"nightporter/connectors"
)

// note is what is written beside a file before a row is appended to it.
type note struct {
	Size int64  `json:"size"` // of the file before
	Line []byte `json:"line"`
}

// step is called before each thing that is done to the disk; tests fail or die there.
func (c *Conn) step(name string) error {
	if c.cfg.step == nil {
		return nil
	}
	return c.cfg.step(name)
}

// noted reports whether an append has begun.
func (c *Conn) noted(k *kind) bool {
	if k.Write != Append {
		return false
	}
	_, err := os.Stat(c.beside(k, "note"))
	return err == nil
}

// mend takes back the part of a row that a killed append has left. The caller holds
// the lock. What somebody else has written behind it stays.
func (c *Conn) mend(k *kind) error {
	b, err := os.ReadFile(c.beside(k, "note"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var n note
	if json.Unmarshal(b, &n) == nil { // a note that is not whole was never acted upon
		if err := n.mend(c.path(k.Name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("take back half a row: %w", err)
		}
	}
	return os.Remove(c.beside(k, "note"))
}

func (n note) mend(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0) //nolint:gosec // the configuration names it
	if err != nil {
		return err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return err
	}
	size := st.Size() - n.Size
	if size <= 0 || size > int64(len(n.Line)) {
		return nil
	}
	tail := make([]byte, size)
	if _, err := f.ReadAt(tail, n.Size); err != nil {
		return err
	}
	if !bytes.Equal(tail, n.Line) && torn(tail, n.Line) {
		if err := f.Truncate(n.Size); err != nil {
			return err
		}
	}
	return f.Sync()
}

// torn reports whether a tail is a part of a line, with nothing where the disk had not
// come to write it.
func torn(tail, line []byte) bool {
	for i, b := range tail {
		if b != line[i] && b != 0 {
			return false
		}
	}
	return true
}

// append puts a line at the end of a file: a note, the line, the note away. An error
// that is not ambiguous means that the file is as it was.
func (c *Conn) append(ctx context.Context, k *kind, p *part, line []byte) error {
	n, err := json.Marshal(note{Size: int64(len(p.raw)), Line: line})
	if err != nil {
		return err
	}
	if err := c.put(c.beside(k, "note"), n, 0o660, "note"); err != nil {
		c.forget(k)
		return err
	}
	return c.write(ctx, k, p, line)
}

// forget takes the note away. One that stays is seen to by the next call.
func (c *Conn) forget(k *kind) { _ = os.Remove(c.beside(k, "note")) }

func (c *Conn) write(ctx context.Context, k *kind, p *part, line []byte) error {
	f, err := os.OpenFile(p.path, os.O_RDWR, 0)
	if err != nil {
		c.forget(k)
		return err
	}
	if err := c.unchanged(ctx, p); err != nil {
		_ = f.Close()
		c.forget(k)
		return err
	}
	err = c.step("append")
	if err == nil {
		_, err = f.WriteAt(line, int64(len(p.raw)))
	}
	if err != nil {
		back := f.Truncate(int64(len(p.raw)))
		if back = errors.Join(back, f.Close()); back != nil {
			return ambiguous(err)
		}
		c.forget(k)
		return err
	}
	if err = c.step("sync"); err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return ambiguous(err)
	}
	if c.step("clear") == nil {
		c.forget(k)
	}
	return nil
}

// replace puts a new file in the old one's place. An error that is not ambiguous means
// that the old one still stands there.
func (c *Conn) replace(ctx context.Context, k *kind, p *part, b []byte) error {
	target, err := filepath.EvalSymlinks(p.path) // a link stays one
	if err != nil {
		return err
	}
	temp := filepath.Join(filepath.Dir(target), filepath.Base(c.beside(k, "new")))
	err = c.put(temp, b, p.info.Mode().Perm(), "new")
	if err == nil {
		err = c.unchanged(ctx, p)
	}
	if err == nil {
		err = c.step("rename")
	}
	if err == nil {
		err = os.Rename(temp, target)
	}
	if err != nil {
		_ = os.Remove(temp)
		return err
	}
	if err = c.step("folder"); err == nil {
		err = syncFolder(filepath.Dir(target))
	}
	if err != nil {
		return ambiguous(err)
	}
	return nil
}

// unchanged is the last look before a write takes effect: nobody has touched the file
// since it was read, and the change is still wanted.
func (c *Conn) unchanged(ctx context.Context, p *part) error {
	now, err := os.Stat(p.path)
	if err != nil {
		return err
	}
	if !os.SameFile(now, p.info) || now.Size() != p.info.Size() || !now.ModTime().Equal(p.info.ModTime()) {
		return errChanging
	}
	return connectors.PassGate(ctx)
}

// put makes a file with all its bytes on the disk. What had its name, a link too, is
// taken away, and not written to.
func (c *Conn) put(path string, b []byte, mode fs.FileMode, what string) error {
	if err := c.step("make " + what); err != nil {
		return err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode) //nolint:gosec // beside a file that the configuration names
	if err != nil {
		return err
	}
	half := len(b) / 2
	_, err = f.Write(b[:half])
	if err == nil {
		err = c.step("fill " + what)
	}
	if err == nil {
		_, err = f.Write(b[half:])
	}
	if err == nil {
		err = f.Chmod(mode) // the process's mask took some of it away
	}
	if err == nil {
		err = c.step("sync " + what)
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(path))
}

// syncFolder makes the names in a folder last, where the disk knows of such a thing.
func syncFolder(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(path) //nolint:gosec // the configuration names it
	if err != nil {
		return err
	}
	if err = d.Sync(); errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL) {
		err = nil
	}
	return errors.Join(err, d.Close())
}

// ambiguous is an error after which nobody knows whether a write was done.
func ambiguous(err error) error {
	return &connectors.Error{Class: connectors.Ambiguous, Err: err}
}
