package simulator

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
)

// Override is what a client has to be told of an API with these traits: keys of a
// preset, to be laid over the built-in preset platform. A nil takes a key away.
func (t Traits) Override() map[string]any {
	t = t.withDefaults()
	return map[string]any{
		"prefix": strings.TrimRight(t.Prefix, "/"),
		"auth":   t.Key.override(),
		"errors": t.overrideErrors(),
		"kinds": map[string]any{
			"contacts":       t.overrideKind("contact", "/contacts", "contacts", t.Body, t.contactFinds()),
			"reservations":   t.overrideKind("reservation", "/"+t.Stays, t.Stays, t.StaysBody, t.stayFinds()),
			"calls":          t.overrideCalls(),
			"orders":         t.overrideOrders(),
			"documents":      t.overrideDocuments(),
			"outbound_calls": t.overrideOutbound(),
		},
	}
}

func (k KeyForm) override() map[string]any {
	switch k {
	case KeyHeader:
		return map[string]any{"type": "header", "header": "X-Api-Key"}
	case KeyQuery:
		return map[string]any{"type": "query", "param": keyParam}
	case KeyBasic:
		return map[string]any{"type": "basic", "user": "api"}
	case KeyBearer:
	}
	return map[string]any{"type": "bearer"}
}

func (t Traits) overrideErrors() map[string]any {
	exists := map[string]any{"status": []int{t.Duplicate}}
	if t.Errors.mute() {
		exists["match"] = nil
	}
	o := map[string]any{
		"ok_flag": t.Flag, "exists": exists, "not_found": nil,
		"message": []string{cmp.Or(map[ErrorForm]string{
			ErrorProblem: "detail", ErrorCode: "error.message", ErrorMessage: "message", ErrorTexts: "message", ErrorList: "errors",
			ErrorFields: "errors", ErrorBare: ".", ErrorDetail: "detail", ErrorDetails: "detail",
		}[t.Errors], "error")},
	}
	switch t.Flag {
	case "":
		o["ok_flag"] = "ok"
	case "-":
		o["ok_flag"] = nil
	}
	if t.Errors == ErrorHTML { // a web page is this API's own word
		o["not_found"] = map[string]any{"status": []int{http.StatusNotFound}}
	}
	if t.Soft {
		o["not_found"] = map[string]any{"status": []int{http.StatusOK}, "match": "(?i)not found"}
	}
	return o
}

func (t Traits) overrideKind(one, path, segment string, body ListBody, finds any) map[string]any {
	item := map[SingleForm]string{SingleData: "data", SingleBare: ".", SingleNamed: one}[t.Single]
	sent := "."
	if t.WrapBody {
		sent = one
	}
	update := map[string]any{"method": http.MethodPut, "mode": "partial", "path": path + "/{id}", "item": item, "body": sent}
	switch t.Update {
	case UpdatePatch:
		update["method"] = http.MethodPatch
	case UpdateWhole:
		update["mode"] = "rewrite"
	case UpdatePut:
	}
	o := map[string]any{
		"path": path, "id": t.IDField, "find": finds, "list": t.overrideList(body, segment, one == "reservation"),
		"get":    map[string]any{"path": path + "/{id}", "item": item},
		"create": map[string]any{"path": path, "item": item, "body": sent}, "update": update,
		"delete":  "none",
		"changed": t.overrideTime("updated_at"), "created": t.overrideTime("created_at"),
		"omits_empty": t.Empty == EmptyMissing,
		"clear":       map[ClearForm]string{ClearNull: "null", ClearText: "empty"}[t.Clear],
		"read_only":   []string{t.IDField, "created_at", "updated_at"},
	}
	if t.Deletes {
		o["delete"] = map[string]any{"path": path + "/{id}"}
	}
	if one == "reservation" && t.Days != DaysISO {
		o["fields"] = t.overrideDays()
	}
	return o
}

func (t Traits) overrideList(body ListBody, segment string, window bool) map[string]any {
	e := envelopes[body].called(segment)
	o := map[string]any{
		"items": ".", "body": nil, "paging": string(t.Paging), "limit_param": t.LimitParam, "limit_each": nil, "max_page_size": 100,
		"offset_param": nil, "page_param": nil, "first_page": nil, "cursor_param": nil, "next": nil,
		"total": nil, "total_header": nil, "has_more": nil, "empty_status": nil, "since": nil, "window": nil,
	}
	if e.items != "" {
		o["items"] = e.at(e.items)
	}
	switch body { //nolint:exhaustive // the others have an envelope
	case BodyLines:
		o["body"] = "lines"
	case BodyByDate:
		o["items"] = "data.*"
	case BodyDays:
		o["items"] = "*.events"
	}
	if t.RefuseLimit {
		o["max_page_size"] = t.MaxLimit
	}
	if t.Beyond != http.StatusOK {
		o["empty_status"] = []int{t.Beyond}
	}
	if window {
		o["window"] = map[string]any{"from": t.WindowFrom, "to": t.WindowTo}
	}
	if t.Since != "" {
		o["since"] = map[string]any{"param": t.Since, "format": t.Times.format()}
	}
	t.overridePaging(o, body)
	switch {
	case t.Total == TotalHeader:
		o["total_header"] = "X-Total-Count"
	case slices.Contains([]TotalForm{TotalBody, TotalWrong}, t.Total) && e.total != "": // below zero is none
		o["total"] = e.at(e.about(e.total))
	}
	if e.more != "" && !t.HideMore {
		o["has_more"] = e.at(e.about(e.more))
	}
	if e.next != "" && (t.Paging == ByCursor || t.Paging == ByNextLink) {
		o["next"] = e.at(e.about(e.next))
	}
	return o
}

func (t Traits) overridePaging(o map[string]any, body ListBody) {
	switch {
	case body.grouped():
		o["paging"], o["limit_param"] = string(ByNothing), nil
		if t.PerDay != "" {
			o["limit_param"], o["limit_each"] = t.PerDay, true
		}
	case t.Paging == ByOffset:
		o["paging"], o["offset_param"] = "offset", t.PlaceParam
	case t.Paging == ByPage:
		o["page_param"], o["first_page"] = t.PlaceParam, t.FirstPage
	case t.Paging == ByCursor:
		o["cursor_param"] = t.PlaceParam
	case t.Paging == ByNothing:
		o["limit_param"] = nil
	}
}

// at is the path of a name below the object around everything.
func (e envelope) at(name string) string {
	if e.parent != "" {
		return e.parent + "." + name
	}
	return name
}

// about is the path of a name in the object that tells of the list.
func (e envelope) about(name string) string {
	if e.info != "" {
		return e.info + "." + name
	}
	return name
}

func (t Traits) contactFinds() any {
	switch t.Find {
	case FindByPhone:
		item := map[SingleForm]string{SingleData: "data", SingleBare: ".", SingleNamed: "contact"}[t.Single]
		return []any{map[string]any{"by": []string{"phone_number"}, "path": "/contacts/by-phone/{phone_number}", "item": item}}
	case FindNot:
		return nil
	case FindFilter:
	}
	return []any{map[string]any{"by": []string{"phone_number"}, "params": map[string]string{"phone_number": "phone_number"}}}
}

func (t Traits) stayFinds() any {
	if t.Find != FindFilter || t.StaysBody.grouped() {
		return nil
	}
	by := []string{"client_phone_number", "starting_date"}
	return []any{map[string]any{"by": by, "params": map[string]string{by[0]: by[0], by[1]: by[1]}}}
}

// format is the form of times in the words of a preset.
func (f TimeForm) format() string {
	switch f {
	case TimesSpaced:
		return "YYYY-MM-DD hh:mm:ss"
	case TimesDate:
		return "date"
	case TimesEpoch, TimesEpochFloat:
		return "epoch_s"
	case TimesEpochMS:
		return "epoch_ms"
	case TimesHidden, TimesRFC3339, TimesOffset, TimesObject:
	}
	return "rfc3339"
}

func (t Traits) overrideTime(field string) any {
	if t.Times == TimesHidden {
		return nil
	}
	if t.Times == TimesObject {
		field += ".at"
	}
	o := map[string]any{"path": field, "format": t.Times.format()}
	if t.Zone != "" {
		o["zone"] = t.Zone
	}
	return o
}

// overrideDays is every field of a reservation, with the form of its days.
func (t Traits) overrideDays() map[string]any {
	o := map[string]any{}
	for _, f := range reservationResource().fields {
		o[f.name] = map[string]any{}
		if f.kind == dateField {
			o[f.name] = map[string]any{"type": "date", "format": map[DayForm]string{
				DaysSlash: "DD/MM/YYYY", DaysTime: "rfc3339", DaysEpoch: "epoch_s",
			}[t.Days]}
		}
	}
	return o
}
