package pgtest

import (
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// owner names who runs the server. PostgreSQL refuses to run as root, so root
// lends the account that its package made, or else nobody's. The zero value
// stands for whoever runs the tests.
type owner struct {
	cred *syscall.Credential
}

// findOwner picks the account for the server.
func findOwner() (owner, error) {
	if os.Geteuid() != 0 {
		return owner{}, nil
	}
	var err error
	for _, name := range []string{"postgres", "nobody"} {
		var u *user.User
		if u, err = user.Lookup(name); err != nil {
			continue
		}
		var uid, gid uint64
		if uid, err = strconv.ParseUint(u.Uid, 10, 32); err != nil {
			continue
		}
		if gid, err = strconv.ParseUint(u.Gid, 10, 32); err != nil {
			continue
		}
		return owner{&syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}, nil
	}
	return owner{}, fmt.Errorf("find an account to run PostgreSQL under, as it refuses root: %w", err)
}

// base is where the owner can be given a folder: the folder for temporary
// files, or /tmp where that one is closed to other accounts, as root's may be.
func (o owner) base() string {
	tmp := os.TempDir()
	if o.cred == nil {
		return tmp
	}
	for dir := tmp; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if info, err := os.Stat(dir); err != nil || info.Mode()&0o001 == 0 {
			return "/tmp"
		}
	}
	return tmp
}

// give hands a file or folder to the owner.
func (o owner) give(path string) error {
	if o.cred == nil {
		return nil
	}
	return os.Chown(path, int(o.cred.Uid), int(o.cred.Gid))
}

// attr makes a process run as the owner, out of reach of the terminal's
// interrupt, and die when the thread that started it does: SIGQUIT is
// PostgreSQL's immediate shutdown, which takes its children along.
func (o owner) attr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Credential: o.cred, Setpgid: true, Pdeathsig: syscall.SIGQUIT}
}

// lock takes the advisory lock of a file, which goes with the process that
// holds it however that process ends. It reports false when another has it.
func lock(f *os.File) bool {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}
