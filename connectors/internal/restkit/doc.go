// Package restkit is what connectors to HTTP APIs share: authentication, pacing,
// one transport that retries, the reading of refusals, and words for errors that
// hold no secret and no guest's data.
//
// A request that reads is repeated; a request that changes something is repeated
// only where it provably never reached the application.
package restkit
