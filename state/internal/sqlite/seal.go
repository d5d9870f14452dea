package sqlite

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"nightporter/state/internal/disk"
	"nightporter/sync/record"
)

// Seal is how the values of a binding are kept: plain, or as keyed digests.
type Seal struct {
	On  bool
	Key []byte
}

type sealKey struct{}

// WithSeal hands a binding's seal to the functions of its transaction.
func WithSeal(ctx context.Context, s Seal) context.Context {
	return context.WithValue(ctx, sealKey{}, s)
}

// SealOf returns the seal of the binding that the transaction of ctx belongs to.
func SealOf(ctx context.Context) Seal {
	s, _ := ctx.Value(sealKey{}).(Seal)
	return s
}

// Keep returns a value of the base at a path as it is kept. A path that begins with @ has what a reference was
// resolved to: that is our own name for an entity, and stays plain. If it is a map it is a marker, which may
// hold a guest's name.
func (s Seal) Keep(path string, v record.Value) record.Stored {
	switch {
	case !s.On:
		return record.Keep(v)
	case !strings.HasPrefix(path, "@"):
		return record.KeepDigest(s.Key, v)
	case v.Type() == record.Map:
		return record.Keep(record.OfMap(record.Fields(v.Map()).Seal(s.Key)))
	}
	return record.Keep(v)
}

// Value returns a value as it is kept.
func (s Seal) Value(v record.Value) record.Value {
	if !s.On {
		return v
	}
	return record.Seal(s.Key, v)
}

// Fields returns values as they are kept.
func (s Seal) Fields(f record.Fields) record.Fields {
	if !s.On {
		return f
	}
	return f.Seal(s.Key)
}

// Keys returns match keys as they are kept. nil stays nil, and is not the same as none.
func (s Seal) Keys(ks []record.Key) []record.Key {
	if !s.On || ks == nil {
		return ks
	}
	out := make([]record.Key, len(ks))
	for i, k := range ks {
		out[i] = k.Seal(s.Key)
	}
	return out
}

// KeySetting names the setting that tells whether a key of the digests is the right one.
const KeySetting = "key"

// keyBytes is the length of the key of digests.
const keyBytes = 32

// ErrKey says that the key of the digests is not the one that they were made with.
var ErrKey = errors.New("the key of the digests is missing or another one")

// SealOf returns how the values of a binding are kept.
func (s *DB) SealOf(b record.Binding) Seal {
	if seals := s.Seals.Load(); seals != nil {
		return (*seals)[b]
	}
	return Seal{}
}

// Key reads the key of the digests from its file. If nothing is kept by a key yet, it makes one, and notes it once
// it is on the disk.
func (s *DB) Key(ctx context.Context, file string) ([]byte, error) {
	var want string
	err := s.Reader.QueryRowContext(ctx, `SELECT value FROM setting WHERE binding = '' AND name = ?1`, KeySetting).Scan(&want)
	if err != nil && !IsNone(err) {
		return nil, s.Explain("read settings", err)
	}
	if want == "" {
		return s.beginKey(ctx, file)
	}
	key, err := readKey(file)
	if err == nil && keyMark(key) != want {
		err = fmt.Errorf("read %s: %w: put back the one that belongs to this state file", file, ErrKey)
	}
	return key, err
}

// beginKey returns the key in the key file. If there is no such file, or it is empty, it makes one with a new key. A
// digest of the key is stored in the state, so that another key is noticed. All of that happens in one write
// transaction: two processes never make two keys.
func (s *DB) beginKey(ctx context.Context, file string) (key []byte, err error) {
	err = s.Write(ctx, "note key", func(ctx context.Context, tx *sql.Tx) error {
		info, err := os.Stat(file)
		if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 { // a kill may leave an empty one
			err = makeKey(file)
		}
		if err != nil {
			return err
		}
		if key, err = readKey(file); err != nil {
			return err
		}
		return PutSetting(ctx, tx, "", KeySetting, keyMark(key))
	})
	return key, err
}

// keyMark tells a key from another one, and does not give the key away.
func keyMark(key []byte) string { return record.Seal(key, record.OfText(KeySetting)).Text() }

func readKey(file string) ([]byte, error) {
	text, err := os.ReadFile(file) //nolint:gosec // the path is the user's own
	if err != nil {
		return nil, fmt.Errorf("read %s: %w (%w): put it back from a copy", file, ErrKey, err)
	}
	key, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil || len(key) != keyBytes {
		return nil, fmt.Errorf("read %s: %w: it holds no key; put it back from a copy", file, ErrKey)
	}
	return key, nil
}

// makeKey makes a key that only its owner may read. Whenever the process is killed, file is whole or not there.
func makeKey(file string) error {
	key := make([]byte, keyBytes)
	if _, err := rand.Read(key); err != nil {
		return err
	}
	part := file + disk.Partial
	f, err := disk.OpenNew(part)
	if err != nil {
		return err
	}
	_, err = f.WriteString(hex.EncodeToString(key) + "\n")
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(part, file)
	}
	if err == nil {
		err = disk.SyncFolder(filepath.Dir(file))
	}
	return err
}
