// Package outbox tells others what happens: of rows of the journal it makes events, and
// sends each to its destinations by webhook, signed as Standard Webhooks says, in order
// and at least once.
//
// Nothing of it is part of a run. What happened waits in the state file until events
// are made of it, and an event waits there until its destination took it; a destination
// that hangs keeps neither another one nor a run waiting.
package outbox
