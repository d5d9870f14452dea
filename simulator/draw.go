package simulator

import (
	"math/rand/v2"
	"net/http"
)

// Draw makes traits up: the same ones for the same seed, and none that leave a
// client no way to read a list to its end or a refusal for what it is.
func Draw(seed uint64) Traits {
	r := seeded(seed)
	t := Traits{
		Prefix: one(r, "/external/v1", "/api/external/v1", "/v1", "/"),
		Key:    one(r, KeyBearer, KeyHeader, KeyQuery, KeyBasic),
		Stays:  one(r, "reservations", "events", "bookings"), IDField: one(r, "id", "_id", "uuid"), NumberID: one(r, false, true),

		Body: one(r, BodyData, BodyArray, BodyNested, BodyItems, BodyCollection, BodyNamed, BodyResults, BodyLines),
		Flag: one(r, "ok", "success", "-"), Paging: one(r, ByOffset, ByPage, ByCursor, ByNextLink, ByLinkHeader, ByNothing),
		LimitParam: one(r, "limit", "per_page", "page_size", "count"), FirstPage: r.IntN(2),
		DefaultLimit: one(r, 5, 10), MaxLimit: one(r, 6, 10, 100), RefuseLimit: one(r, false, true), HideLimit: one(r, false, true),
		Total: one(r, TotalBody, TotalHeader, TotalWrong, TotalRough, TotalNone), HideMore: one(r, false, true),
		Next:   one(r, NextNull, NextMissing, NextEmpty, NextOverrun),
		Beyond: one(r, http.StatusOK, http.StatusNoContent, http.StatusNotFound),

		Single: one(r, SingleData, SingleBare, SingleNamed), WrapBody: one(r, false, true),
		Update: one(r, UpdatePut, UpdatePatch, UpdateWhole), Answer: one(r, AnswerRecord, AnswerID, AnswerNone),
		Empty: one(r, EmptyNull, EmptyMissing, EmptyText), Clear: one(r, ClearNull, ClearText),
		Find: one(r, FindFilter, FindByPhone, FindNot), Deletes: one(r, false, true),

		Errors: one(r, ErrorForms()...),
		Soft:   one(r, false, false, true), Duplicate: one(r, http.StatusBadRequest, http.StatusConflict, http.StatusUnprocessableEntity),
		Invalid:   one(r, http.StatusBadRequest, http.StatusUnprocessableEntity),
		Throttled: one(r, http.StatusTooManyRequests, http.StatusForbidden, http.StatusServiceUnavailable),
		Retry:     one(r, RetryNone, RetrySeconds, RetryDate),
		Rate:      one(r, RateForms()...),

		Times: one(r, TimesHidden, TimesRFC3339, TimesOffset, TimesSpaced, TimesDate, TimesEpoch, TimesEpochMS, TimesEpochFloat, TimesObject),
		Zone:  one(r, "", "Europe/Rome"), Days: one(r, DaysISO, DaysSlash, DaysTime, DaysEpoch), Since: one(r, "", "updated_since"),
	}
	if one(r, false, true) {
		t.StaysBody = one(r, BodyByDate, BodyDays)
		t.PerDay = one(r, "", "per_day")
		t.WindowFrom, t.WindowTo = "from", "to"
	}
	t.Calls = one(r, "", "calls", "call-history")
	t = t.sound(r)
	t.Uploads = one(r, UploadNone, UploadMultipart, UploadBase64) // the last draw: what older seeds drew stays
	if t.Calls != "" {
		t.Dial = one(r, DialNone, DialCalls, DialActions)
	}
	return t.drawOrders(seeded(^seed))
}

// drawOrders draws the traits of orders, by numbers of their own.
func (t Traits) drawOrders(r *rand.Rand) Traits {
	if t.Orders = one(r, "", "orders", "sales"); t.Orders == "" {
		return t
	}
	t.OrderNumbers, t.OrderFixed = one(r, false, true), one(r, false, true) && t.Update != UpdateWhole
	if one(r, false, true) {
		t.OrderWords = []string{"confirmed", "completed", "refused"}
	}
	return t
}

// ErrorForms is every body of a refusal.
func ErrorForms() []ErrorForm {
	return []ErrorForm{
		ErrorText, ErrorProblem, ErrorCode, ErrorMessage, ErrorTexts, ErrorList, ErrorFields, ErrorBare, ErrorDetail, ErrorDetails,
		ErrorArray, ErrorHTML, ErrorEmpty,
	}
}

// RateForms is everything that answers may tell of limits.
func RateForms() []RateForm {
	return []RateForm{
		RateNone, RateDelta, RateEpoch, RateEpochMS, RateDate, RateDraft6, RateDraft7, RateDraft11, RateNamed, RateVendor, RateInterval,
	}
}

func one[T any](r *rand.Rand, choices ...T) T { return choices[r.IntN(len(choices))] }

// sound is t without what nobody could make sense of.
func (t Traits) sound(r *rand.Rand) Traits {
	if t.Body.bare() {
		t.HideMore = true
		if t.Total != TotalHeader {
			t.Total = TotalNone
		}
		if t.Paging == ByCursor || t.Paging == ByNextLink { // there is no place for either
			t.Paging = ByLinkHeader
		}
	}
	if t.Body == BodyLines {
		t.Soft = false
		if t.Paging != ByOffset { // nothing else would tell that it is whole
			t.Total = TotalHeader
		}
	}
	if t.Flag == "-" {
		t.Soft = false
	}
	if t.Soft {
		t.Errors = one(r, ErrorText, ErrorCode, ErrorMessage)
		if t.Beyond == http.StatusNotFound { // it would be 200, and say no more than any other
			t.Beyond = http.StatusOK
		}
	}
	if t.Errors.mute() { // the status is all that tells
		t.Duplicate, t.Throttled = http.StatusConflict, http.StatusTooManyRequests
	}
	if t.Throttled == http.StatusServiceUnavailable && t.Retry == RetryNone {
		t.Retry = RetrySeconds
	}
	if t.Update == UpdateWhole && t.Clear == ClearText { // what is read must be what may be sent
		t.Empty = EmptyText
	}
	if t.Times == TimesHidden {
		t.Since = ""
	}
	return t
}
