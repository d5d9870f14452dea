// Package pace is the manners of requests to one system: it decides when the next
// one may be sent, and whose it is.
//
// There is one Limiter for a credential, shared by every job, connector and
// goroutine of the process. It keeps the quotas that were declared and those that
// answers tell of, waits out a refusal for everybody, and finds by itself a pace
// for a system that refuses without a word. Who is waited for goes first: bookings
// and what they need, then writes, then what is read before a write, then lists.
//
// The package is beside the connectors and not inside one of them, because who
// composes the program must hold the limiters: they outlive a connector that is
// opened again, and two systems under one key share theirs.
package pace
