// Package simulator is the communications and booking platform as a stateful
// http.Handler, for tests, demos and crash drills that need no network and no
// key. It is a second reading of the platform's published API text: it shares no
// code with the connectors, so that a misreading cannot hide in both.
//
// # The default dialect
//
// Under the prefix /external/v1 there are two kinds that can be written, contacts and
// reservations:
//
//	GET    /contacts?limit&offset[&filters]   200 {"ok":true,"data":[...],"meta":{"total","limit","offset","has_next"}}
//	GET    /contacts/{id}                     200 {"ok":true,"data":{...}}
//	POST   /contacts                          201 {"ok":true,"data":{...}} with the record as stored
//	PUT    /contacts/{id}                     200, partial: only the fields that were sent change
//	PATCH  /contacts/{id}                     the same
//
// and the same for /reservations. But for calls and orders, nothing else is offered: another path answers
// 404, another method 405 (DELETE too, unless Options.Deletes). Every request
// carries "Authorization: Bearer KEY"; without a known key the answer is 401 with
// "WWW-Authenticate: Bearer", with a read-only key a write answers 403. Errors are
// {"ok":false,"error":"text"}.
//
// limit is 10 when left out and at most 100: a larger one is clamped without a
// word, but meta.limit tells. An unknown query parameter is ignored. A request
// body must be a JSON object; unknown fields in it are ignored, null clears an
// optional field, custom_fields are merged key by key.
//
// A contact has id, first_name (required), last_name, phone_number (required,
// unique in the account: a duplicate answers 400), email, language, notes and
// custom_fields; it is filtered by phone_number, email, first_name, last_name. A
// reservation has id, client_full_name, starting_date, ending_date (required,
// YYYY-MM-DD), client_phone_number, client_email, status and details, and no
// unique key; it is filtered by client_phone_number, status, starting_date,
// ending_date, and by the window start_date, end_date: the stays that touch it,
// both days included.
//
// There are calls as well, which can only be read: GET /calls lists them, GET
// /calls/{id} reads one. A call has id, phone_number, call_type, call_status, outcome,
// is_outbound, contact_id, reservation_id, start_time, end_time and duration. GET
// /calls/{id}/transcript and /calls/{id}/summary give {"ok":true,"data":{"text":...}}
// once the text is written, which SetTexts makes late, and 404 before.
//
// And there are orders, at /orders as contacts are: external_reference (required; unique
// with Traits.OrderNumbers), contact_name, contact_phone, items (each an object with sku
// or name, quantity and unit_price as decimals in strings), total, currency, status
// (draft, confirmed, paid, in_preparation, ready, fulfilled, completed, cancelled, refused),
// status_reason, without which none is refused, notes, payment_status, paid_at and
// payment_reference; it shows created_at, and created_after limits the
// list to what was made after a day or a time. An order that is over is not brought back. Its webhooks are
// order.created, order.status_changed, order.paid and order.updated.
//
// The server tidies what it stores: spaces and dashes leave a phone number, an
// e-mail address becomes lower case. Options.Normalise changes that.
//
// # What a remote offers against duplicates
//
// Options.Reference adds an external_id, plain or unique (409), and
// Options.Idempotency honours an Idempotency-Key header. With neither, contacts
// are protected by their phone number alone and reservations by nothing.
// Options.Versions adds ETag and If-Match (412).
//
// # Other dialects
//
// Traits are the choices in which APIs of this kind differ: where a list has its
// rows and how it ends, how refusals look, what tells of limits, how times are
// written. Dialects lists those that have a name, Draw makes others up. Override is
// what a client has to be told of them. The dialect yourang is what is published of
// a platform that the given text fits: events in place of reservations, grouped by
// date, contacts by-phone, 50 requests a minute and 1,000 an hour.
//
// # The dialect crm
//
// DialectCRM is another vendor's reading of the same thing: prefix /api/v2, key in
// X-Api-Key, one kind people (id, nested name{given,family}, mobile, mail, lang,
// external_ref, updated_at), lists {"results":[...],"paging":{"next":{"after"}}}
// by limit, after and updated_since (inclusive), PATCH alone for updates, bare
// single records, {"errors":[{"code","message"}]}, 422 for an invalid body.
//
// # Misbehaviour
//
// AddFault arms a Fault for the next requests that match it, or for all of them;
// the kinds are listed at FaultKind. A fault that is armed for good makes a server of
// another kind: one that refuses a verb (FaultRefused), empties what an update leaves out
// (FaultReplace), takes no notice of a word (FaultIgnored), shows less in its lists than of
// one record (FaultFieldsLeftOut), never ends a list (FaultEndless, or FaultShuffled with
// FaultOffsetIgnored), tells of limits that nobody has (FaultHeaders), or answers in HTML
// (FaultHTML). SetWriter and OnList change records between
// the pages of a list: both run after a page was read and before it is sent, so
// that the next request surely sees the change. Snapshot and Restore play a
// restored backup, SwapAccount another account behind the same address. Control
// offers all of it, and the counts and the log, as an HTTP API for another
// listener.
//
// # Webhooks
//
// SetHook notes changes, and Deliveries gives them as signed requests, in either of
// the two forms that were seen: thin, signed with a time, or fat, signed by the body
// alone. Nothing is sent unless somebody asks for it.
//
// # Time
//
// A Sim starts no goroutine of its own; only a write that is applied late waits in
// a time.AfterFunc. It reads the clock with time.Now (or what SetNow gave), so that
// it can live in a testing/synctest bubble; there, Transport serves requests
// without a socket.
package simulator
