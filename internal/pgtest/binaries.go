package pgtest

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
)

// errNoBinaries says what a person can do about it, in one line.
var errNoBinaries = errors.New("no PostgreSQL server programs here: run `make deps-test`, or put initdb and postgres in PATH")

// findBinaries returns the folder that holds initdb and postgres: where PATH
// finds them, else the newest version under debian, where Debian keeps them
// out of PATH.
func findBinaries(debian string) (string, error) {
	var dirs []string
	if initdb, err := exec.LookPath("initdb"); err == nil {
		if target, err := filepath.EvalSymlinks(initdb); err == nil {
			dirs = append(dirs, filepath.Dir(target))
		}
	}
	versions, err := filepath.Glob(filepath.Join(debian, "*", "bin"))
	if err != nil {
		return "", err
	}
	slices.SortFunc(versions, func(a, b string) int { return version(b) - version(a) })
	for _, dir := range append(dirs, versions...) {
		if runs(filepath.Join(dir, "initdb")) && runs(filepath.Join(dir, "postgres")) {
			return dir, nil
		}
	}
	return "", errNoBinaries
}

// version reads 15 from ".../15/bin", and 0 from what is no number.
func version(bin string) int {
	n, err := strconv.Atoi(filepath.Base(filepath.Dir(bin)))
	if err != nil {
		return 0
	}
	return n
}

// runs reports whether path is a program.
func runs(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}
