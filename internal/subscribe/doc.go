// Package subscribe keeps our subscriptions to the webhooks of systems as they are
// declared: there, on, with the address and the events that the configuration names,
// signed by a secret that is known here and is changed from time to time.
//
// Only what carries our mark is ever changed or removed, whatever else has the same
// address. A secret is kept durably before it counts as known; a subscription of which
// nobody kept the secret, because a process ended in between, is taken away and made
// anew.
package subscribe
