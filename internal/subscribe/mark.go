package subscribe

import (
	"net/url"
	"slices"
	"strings"

	"nightporter/connectors"
	"nightporter/sync/record"
)

// param is the parameter of an address in which our mark stands where a system's
// subscriptions have no text for people.
const param = "nightporter"

// MarkOf names an installation's subscription to a system.
func MarkOf(install string, system record.System) string {
	return "np:" + install + "/" + string(system)
}

// note is the text that people read beside a subscription of ours.
func note(mark string) string {
	return "Kept by Nightporter, which mends what is changed here. " + mark
}

// Marked is an address with our mark in it.
func Marked(address, mark string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	own := param + "=" + url.QueryEscape(mark)
	if u.RawQuery != "" {
		own = u.RawQuery + "&" + own
	}
	u.RawQuery = own
	return u.String()
}

// ours reports whether a subscription carries a mark.
func ours(s connectors.Subscription, mark string) bool {
	if slices.Contains(strings.Fields(s.Note), mark) {
		return true
	}
	u, err := url.Parse(s.URL)
	return err == nil && u.Query().Get(param) == mark
}
