// Package memory is the reference implementation of the connectors' contract: a
// system whose records live in memory, and that can be told to misbehave.
//
// A System is the store; any number of connectors may be opened on it, as any
// number of programs may work with one real system. What its kinds can do is said
// by a Kind: how lists are paged and sorted, what is unique, whether records carry
// a version, how late a list shows a write. Faults are injected while it runs, and
// Hooks are called around every request, so that a test can end a program between
// any two of them.
//
// Tests that stand for a user of the system use Put, Edit, Remove, Get and All:
// they are never late, never fail and are not counted.
//
// It reads no clock but the one it is given, starts no goroutine and keeps no
// timer: what is to be applied later is applied by the first call that comes after
// its time. So it works in a testing/synctest bubble.
package memory
