package connectors

import "strings"

// mostOfName is the letters that are kept of who changed a record.
const mostOfName = 100

// Name is who changed a record, cut to what a line can hold.
func Name(text string) string {
	letters := []rune(strings.TrimSpace(text))
	return string(letters[:min(len(letters), mostOfName)])
}
