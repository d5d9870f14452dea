package app

import (
	"context"
	"strconv"
	"strings"
	"testing"

	"nightporter/connectors"
	"nightporter/internal/config"
	"nightporter/sync/record"
)

// pages is a system whose list has these pages, each with its total.
type pages []struct {
	rows  string // ids, which are the numbers too
	total int
}

func (pages) Describe(context.Context) (connectors.Description, error) {
	return connectors.Description{}, nil
}

func (pages) Close() error { return nil }

func (p pages) Fetch(_ context.Context, _ connectors.Query, after record.Cursor) (connectors.Page, error) {
	i, _ := strconv.Atoi(string(after))
	out := connectors.Page{Total: p[i].total, End: i == len(p)-1, Next: record.Cursor(strconv.Itoa(i + 1))}
	for id := range strings.FieldsSeq(p[i].rows) {
		out.Items = append(out.Items, connectors.Item{ID: id})
	}
	out.Read = func(it connectors.Item) (record.Record, error) {
		return record.Record{Fields: record.Fields{"phone": record.OfText(it.ID)}}, nil
	}
	return out, nil
}

// forever is a system whose list goes on with new numbers.
type forever struct{ pages }

func (forever) Fetch(ctx context.Context, q connectors.Query, after record.Cursor) (connectors.Page, error) {
	i, _ := strconv.Atoi(string(after))
	page, err := pages{{strconv.Itoa(i), -1}, {}}.Fetch(ctx, q, "")
	page.End, page.Next = i > 2*connectors.MostPages, record.Cursor(strconv.Itoa(i+1))
	return page, err
}

// A list of numbers that are never to be called, and that never ends, is not read for ever.
func TestOutside20NumbersWithoutAnEnd(t *testing.T) {
	never := &config.Never{System: "crm", Kind: "do_not_call", Path: "phone"}
	if _, err := numbersOf(t.Context(), forever{}, never); err == nil || !strings.Contains(err.Error(), "does not end") {
		t.Errorf("got %v, want that the list does not end", err)
	}
}

// A list that moves while its pages are read may hide a number: then nobody is called.
func TestNumbersOf(t *testing.T) {
	never := &config.Never{System: "crm", Kind: "do_not_call", Path: "phone"}
	for name, c := range map[string]struct {
		list pages
		want string // the numbers, or what is wrong
	}{
		"whole":                              {pages{{"1 2", 3}, {"3", 3}}, "1 2 3"},
		"without a total":                    {pages{{"1 2", -1}, {"3", -1}}, "1 2 3"},
		"with the total on the first alone":  {pages{{"1 2", 3}, {"3", -1}}, "1 2 3"},
		"fewer than it says":                 {pages{{"1 2", 4}, {"3", -1}}, "says that it has 4, and showed 3"},
		"one went, and hides the next":       {pages{{"1 2", 4}, {"4", 3}}, "changed while it was read"},
		"one came, and shows the last again": {pages{{"1 2", -1}, {"2 3", -1}}, "changed while it was read"},
	} {
		got, err := numbersOf(context.Background(), c.list, never)
		text := strings.Join(got, " ")
		if err != nil {
			text = err.Error()
		}
		if !strings.Contains(text, c.want) || (err == nil) != (text == c.want) {
			t.Errorf("%s: got %q, want %q", name, text, c.want)
		}
	}
}
