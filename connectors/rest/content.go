package rest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"maps"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"slices"
	"strings"

	"nightporter/connectors"
	"nightporter/connectors/jsonx"
	"nightporter/sync/record"
)

// Content is how a create gives a file.
type Content struct {
	Field string `yaml:"field"` // the part, or the path in the JSON, that the bytes go to
	Send  string `yaml:"send"`  // multipart (default), or base64: in the JSON
	// Name is the field that holds the file's name. In a multipart body it is the name of
	// the part's file, and no part of its own. Default file_name.
	Name  string `yaml:"name"`
	Media string `yaml:"media_field"` // for base64: the path that the media type goes to; left out: it is not sent
	Lists string `yaml:"lists"`       // for multipart: a list is sent as a part for each (repeat, the default), as one with commas (comma), or as json

	MaxMB float64  `yaml:"max_mb"` // more is not sent; 0: no limit known
	Types []string `yaml:"types"`  // media types that are taken; empty: any
}

// The ways of sending a content, and of sending lists beside it.
const (
	asMultipart = "multipart"
	asBase64    = "base64"
	repeated    = "repeat"
	commas      = "comma"
	asJSON      = "json"
)

// content is a Content made ready.
type content struct {
	field, media jsonx.Path
	limits       connectors.Limits
}

func (c *checker) content(k *kind) {
	if k.Content == nil {
		return
	}
	given := *k.Content
	given.Send, given.Name, given.Lists = first(given.Send, asMultipart), first(given.Name, "file_name"), first(given.Lists, repeated)
	c.oneOf("content.send", given.Send, asMultipart, asBase64)
	c.oneOf("content.lists", given.Lists, repeated, commas, asJSON)
	if given.Field == "" {
		c.wrong("content.field is missing: where does the file go?")
	}
	if k.Create == nil {
		c.wrong("content needs create: a file is given with a new record")
	}
	if given.MaxMB < 0 {
		c.wrong("content.max_mb is below 0")
	}
	k.Content = &given
	k.content = &content{
		field: c.sent("content.field", given.Field, ""), media: c.sent("content.media_field", given.Media, ""),
		limits: connectors.Limits{MaxBytes: int64(given.MaxMB * (1 << 20)), Media: given.Types},
	}
}

// hideContent takes out what a record shows where its file was given: an address, a name,
// and never the bytes.
func (k *kind) hideContent(f record.Fields) {
	if k.content != nil {
		delete(f, k.Content.Field)
	}
}

// isContent reports whether a value is a content, which does not stand among the others.
func (w *writing) isContent(name string, v record.Value) (bool, error) {
	if v.Type() != record.Content {
		return false, nil
	}
	if w.ch.Op != record.Create || w.k.content == nil || name != w.k.Content.Field {
		return true, w.wrong(connectors.Unsupported, "%s is no place for a content", name)
	}
	return true, nil
}

// newBody is the body of a create, and its header.
func (w *writing) newBody(ctx context.Context, m map[string]any) ([]byte, http.Header, error) {
	k, h := w.k, w.header()
	if k.content == nil || w.ch.Fields[k.Content.Field].Type() != record.Content {
		body, err := w.encode(m, k.createBody)
		return body, h, err
	}
	b, _ := w.ch.Fields[k.Content.Field].Body()
	if why := k.content.limits.Refuses(b); why != "" {
		return nil, nil, w.wrong(connectors.Rejected, "its %s was not sent: %s", k.Content.Field, why)
	}
	file, ok := connectors.ContentAt(ctx, k.Content.Field)
	if !ok || int64(len(file)) != b.Size {
		return nil, nil, w.wrong(connectors.Rejected, "its %s was not handed over", k.Content.Field)
	}
	if k.Content.Send == asBase64 {
		body, err := w.inJSON(m, b, file)
		return body, h, err
	}
	body, kind, err := w.multipart(m, b, file)
	if err != nil {
		return nil, nil, w.wrong(connectors.Rejected, "%w", err)
	}
	h.Set("Content-Type", kind)
	return body, h, nil
}

// inJSON is a body with the file in it. It is made around a mark in the file's place: an
// encoder would hold the file two or three times more.
func (w *writing) inJSON(m map[string]any, b record.Body, file []byte) ([]byte, error) {
	c, mark := w.k.content, boundary(w.ch.ID, file)
	jsonx.Set(m, c.field, mark)
	if c.media != nil {
		jsonx.Set(m, c.media, b.Media)
	}
	body, err := w.encode(m, w.k.createBody)
	if err != nil {
		return nil, err
	}
	before, after, ok := bytes.Cut(body, []byte(mark))
	if !ok {
		return nil, w.wrong(connectors.Unsupported, "%s is no place for a content", w.k.Content.Field)
	}
	out := make([]byte, 0, len(before)+base64.StdEncoding.EncodedLen(len(file))+len(after))
	return append(base64.StdEncoding.AppendEncode(append(out, before...), file), after...), nil
}

// multipart is a body of parts: the fields, and then the file.
func (w *writing) multipart(m map[string]any, b record.Body, file []byte) (body []byte, kind string, err error) {
	var out bytes.Buffer
	parts := multipart.NewWriter(&out)
	if err := parts.SetBoundary(boundary(w.ch.ID, file)); err != nil {
		return nil, "", err
	}
	name := w.ch.Fields[w.k.Content.Name].Text() // by the name that it is read at
	delete(m, w.k.Content.Name)
	for _, key := range slices.Sorted(maps.Keys(m)) {
		texts, err := w.partTexts(m[key])
		if err != nil {
			return nil, "", fmt.Errorf("%s: %w", key, err)
		}
		for _, text := range texts {
			if err := parts.WriteField(key, text); err != nil {
				return nil, "", err
			}
		}
	}
	if name == "" {
		name = "document" + extension(b.Media)
	}
	h := textproto.MIMEHeader{}
	h.Set("Content-Disposition", multipart.FileContentDisposition(w.k.Content.Field, name))
	h.Set("Content-Type", b.Media)
	part, err := parts.CreatePart(h)
	if err != nil {
		return nil, "", err
	}
	if _, err := part.Write(file); err != nil {
		return nil, "", err
	}
	if err := parts.Close(); err != nil {
		return nil, "", err
	}
	return out.Bytes(), parts.FormDataContentType(), nil
}

// boundary is what parts the parts of a form. It is the same whenever the same change is
// sent, for who recognises a repetition by its key may compare the body too; and it names
// a digest of the file, so that the file can't have it in it.
func boundary(change string, file []byte) string {
	h := sha256.New()
	fmt.Fprintf(h, "%d %s ", len(change), change)
	h.Write(file)
	return hex.EncodeToString(h.Sum(nil))
}

// partTexts is a value as texts of parts.
func (w *writing) partTexts(v any) ([]string, error) {
	switch v := v.(type) {
	case nil:
		return []string{""}, nil
	case string:
		return []string{v}, nil
	case []any:
		var all []string
		for _, e := range v {
			texts, err := w.partTexts(e)
			if err != nil {
				return nil, err
			}
			all = append(all, texts...)
		}
		switch w.k.Content.Lists {
		case commas:
			return []string{strings.Join(all, ",")}, nil
		case repeated:
			return all, nil
		}
	}
	b, err := jsonx.Encode(v)
	return []string{string(b)}, err
}

// extension is the ending of a name for a media type.
func extension(media string) string {
	switch media {
	case "text/markdown":
		return ".md"
	case "text/csv":
		return ".csv"
	case "application/pdf":
		return ".pdf"
	}
	return ""
}
