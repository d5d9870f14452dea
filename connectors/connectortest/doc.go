// Package connectortest is the suite that every connector passes.
//
// Welcome. You are adding a connector, and this package is here to help: it tells,
// as one story, what Nightporter counts on when it works with a system at night
// and nobody looks. You need one test:
//
//	func TestConformance(t *testing.T) {
//		connectortest.Run(t, func(t testing.TB) connectortest.Subject {
//			house := newHouse(t) // an empty system, this test's own
//			return connectortest.Subject{
//				Kind:   "guests",
//				Open:   func(t testing.TB) connectors.Connector { return house.open(t) },
//				Put:    house.put,    // somebody at the desk adds a guest
//				Edit:   house.edit,   // … changes one
//				Remove: house.remove, // … and removes one
//				Sample: guest,        // the i-th guest, unlike all others
//				Text:   "notes",      // a field that takes any text
//			}
//		})
//	}
//
// The chapters run in the order in which you will write the connector: first it
// describes itself and reads, then it writes, then it answers questions, and in
// the end it stays decent when things go wrong. Each has a comment that says why
// the engine cares. Start with the first that fails.
//
// Every chapter gets a system of its own, empty. What your connector's Description
// does not promise is skipped, with the reason printed; no chapter knows a
// connector by its name. Should you ever want an exception for yours, its
// Description lacks a word.
//
// A kind that takes contents is given some with every create; what else the suite needs to
// know of them are the Subject's Tells, Stored, Lose and Finish. One whose records show
// contents has Rewrite and Rename.
//
// What a system that calls us sends is the Subject's Delivery, in as many forms as it has.
//
// Several connections are opened on the same system at the same time, as two
// programs would. Your Put, Edit and Remove must not go through the connector.
package connectortest
