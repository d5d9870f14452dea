// Package state is the checkpoint store: what was last seen of every record, what both sides last agreed on, every
// change before it is sent and what became of it, and what waits for somebody. It is one SQLite file.
//
// Nothing in it is a queue. Work to do is an observation that differs from its base, an open intent, or an entry
// marked dirty. All of them survive a kill at any moment, because every method that writes is exactly one
// transaction, and durable when the method returns.
//
// A method that takes a record.Lease checks in its own transaction that no other run has taken the binding
// over since, and fails with ErrFenced if one has. The process that runs jobs holds a lock beside the file,
// and has a term in the file that is higher than any before. So a process that stood still while another took
// over can begin nothing.
//
// Time comes only as a parameter, and is kept in milliseconds. The times up to which a late read is not believed
// (Entry.Acked, Entry.SettleUntil) are rounded up, all others down: when in doubt, a record is read once more.
package state
