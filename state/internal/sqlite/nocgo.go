//go:build !cgo

package sqlite

// SQLite is written in C. Without cgo the driver would compile to a stub that fails
// at run time; this line makes the compiler say it instead.
var _ = nightporter_needs_a_C_compiler__install_gcc_and_build_with_CGO_ENABLED_1
