package connectors

import "strings"

// SaysDeleted reports whether what stands where a system notes that a record was deleted is
// a yes, or a time. One of nothing but zeros is how some write that there is none.
func SaysDeleted(text string) bool {
	text = strings.ToLower(strings.TrimSpace(text))
	return text != "false" && text != "f" && text != "no" && text != "n" && strings.Trim(text, "0-:. tz+") != ""
}
