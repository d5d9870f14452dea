// Package discover proposes how two systems are kept in step, from a sample of the
// records of both: which kinds are the same, which fields, by what two records are known
// to be one, and what their words mean. It is pure: it is handed samples and asks nobody.
//
// What counts most is values: the same phone on both sides, and then, of records that
// share one, the same name or day. Names of fields count where values tell nothing, and
// never against them. Each line says how sure it is and why; what can't be told is said
// to be so and left to the user. No value of a record is shown, only its shape.
package discover
