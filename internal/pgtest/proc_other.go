//go:build !linux

package pgtest

import (
	"errors"
	"os"
	"syscall"
)

// owner is whoever runs the tests.
type owner struct{}

func findOwner() (owner, error) {
	if os.Geteuid() == 0 {
		return owner{}, errors.New("run the tests as a user other than root: PostgreSQL refuses root")
	}
	return owner{}, nil
}

func (owner) base() string { return os.TempDir() }

func (owner) give(string) error { return nil }

func (owner) attr() *syscall.SysProcAttr { return nil }

// lock reports false: without a lock that ends with its process, no folder is
// known to be abandoned.
func lock(*os.File) bool { return false }
