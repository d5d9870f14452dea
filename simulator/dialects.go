package simulator

import (
	"maps"
	"net/http"
	"slices"
	"time"
)

// Dialect names the API that a Sim speaks.
type Dialect string

// The dialects that a test names; the zero value is DialectPlatform. Dialects lists
// all that have traits.
const (
	DialectPlatform Dialect = ""
	DialectCRM      Dialect = "crm"
	DialectYourang  Dialect = "yourang"
)

// TraitsOf is the traits of a dialect by its name, and whether there is one.
// DialectCRM, another vendor's API, has none.
func TraitsOf(d Dialect) (Traits, bool) {
	if d == DialectPlatform {
		d = "platform"
	}
	t, ok := named()[d]
	return t, ok
}

// Dialects is the names of all dialects that have traits, sorted.
func Dialects() []Dialect { return slices.Sorted(maps.Keys(named())) }

func named() map[Dialect]Traits {
	return map[Dialect]Traits{
		"platform": {Calls: "calls", Orders: "orders", Uploads: UploadMultipart, Dial: DialCalls},
		// What is published of a platform that the given text fits word for word.
		DialectYourang: {
			Stays: "events", Calls: "call-history", Dial: DialActions, Uploads: UploadMultipart, Orders: "orders", OrderFixed: true, OrderWords: []string{"confirmed", "completed", "refused"},
			StaysBody: BodyByDate, PerDay: "events_per_day", Find: FindByPhone, PublicNames: true,
			Deletes: true, Actions: true, Retry: RetrySeconds, Rate: RateDelta,
			Quotas: []Quota{{50, time.Minute}, {1000, time.Hour}},
		},
		"array": {
			Prefix: "/v1", Key: KeyHeader, Body: BodyArray, Flag: "-", Paging: ByPage, LimitParam: "per_page", FirstPage: 1,
			Total: TotalHeader, HideMore: true, Single: SingleBare, Update: UpdatePatch, Empty: EmptyMissing,
			Errors: ErrorDetails, Duplicate: http.StatusUnprocessableEntity, Invalid: http.StatusUnprocessableEntity,
			Retry: RetrySeconds, Times: TimesRFC3339, Since: "modified_after",
		},
		"nested": {
			Body: BodyNested, Flag: "success", Paging: ByPage, LimitParam: "page_size", FirstPage: 1, MaxLimit: 25, HideLimit: true,
			HideMore: true, Beyond: http.StatusNoContent, Single: SingleNamed, WrapBody: true, Answer: AnswerID,
			Errors: ErrorFields, Duplicate: http.StatusConflict, Rate: RateDraft6, Times: TimesSpaced, Zone: "Europe/Rome",
		},
		"items": {
			Prefix: "/", Body: BodyItems, Flag: "-", Paging: ByCursor, PlaceParam: "pagination_key", Total: TotalNone, Next: NextOverrun,
			HideMore: true, MaxLimit: 50, RefuseLimit: true, Single: SingleBare, Update: UpdatePatch, NumberID: true,
			Errors: ErrorMessage, Duplicate: http.StatusConflict, Rate: RateInterval, Times: TimesEpochMS, Find: FindNot,
		},
		"collection": {
			Body: BodyCollection, Flag: "-", Paging: ByNextLink, PlaceParam: "page_token", LimitParam: "count", HideMore: true,
			Single: SingleBare, Answer: AnswerNone, Errors: ErrorProblem, Duplicate: http.StatusConflict, Deletes: true,
			Rate: RateEpoch, Times: TimesOffset, Zone: "Europe/Rome", Days: DaysTime,
		},
		"links": {
			Prefix: "/api", Body: BodyArray, Flag: "-", Paging: ByLinkHeader, LimitParam: "per_page", Total: TotalNone,
			Single: SingleBare, Update: UpdatePatch, Errors: ErrorTexts, Duplicate: http.StatusUnprocessableEntity,
			Throttled: http.StatusForbidden, Rate: RateEpochMS, Times: TimesEpoch, Since: "since", IDField: "uuid",
		},
		"results": {
			Key: KeyBasic, Body: BodyResults, Flag: "-", Paging: ByPage, FirstPage: 1, LimitParam: "page_size", Beyond: http.StatusNotFound,
			Total: TotalRough, HideMore: true, Single: SingleBare, Update: UpdateWhole, Errors: ErrorDetail, Retry: RetryDate,
			Throttled: http.StatusServiceUnavailable, Times: TimesDate, Days: DaysSlash,
		},
		"lines": {
			Key: KeyQuery, Body: BodyLines, Flag: "-", Paging: ByNothing, Total: TotalHeader, HideMore: true, Single: SingleBare,
			Errors: ErrorHTML, Duplicate: http.StatusConflict, Rate: RateDate, Times: TimesEpochFloat,
		},
		"soft": {
			Body: BodyNamed, StaysBody: BodyDays, Flag: "success", Soft: true, Total: TotalWrong, MaxLimit: 20, HideLimit: true,
			HideMore: true, Errors: ErrorCode, Update: UpdateWhole, Empty: EmptyText, Clear: ClearText, Retry: RetrySeconds, Rate: RateDraft11,
			Times: TimesObject, WindowFrom: "from", WindowTo: "to", Find: FindNot,
		},
	}
}
