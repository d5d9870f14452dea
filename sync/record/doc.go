// Package record holds the words of a synchronisation: what a record is, what a
// field can hold, what was seen, what is to be changed. It is pure: values in,
// values out, no clock, no disk, no network.
//
// Words used all through the program:
//
//   - a record is one contact, one reservation … of one system; its kind is the
//     system's own name for that type of record;
//   - a binding is one job over two systems, a side is Left or Right of it;
//   - an entry is what the store knows of one record of one side of a binding;
//   - a link pairs a left entry with a right one; the entity is what both stand
//     for, shared by all links of all bindings that reach the same person or stay;
//   - a base is what a side was last seen to hold when the link was settled, an
//     observation is what a later read showed;
//   - an intent is a change made durable before it is sent, a receipt is what the
//     system answered.
package record
