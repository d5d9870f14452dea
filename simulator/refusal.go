package simulator

import (
	"net/http"
	"slices"
)

// soft are the statuses in whose place a soft API answers 200.
var soft = []int{http.StatusBadRequest, http.StatusNotFound, http.StatusConflict, http.StatusUnprocessableEntity}

// refusal is an answer that says no.
func (t Traits) refusal(p problem) answer {
	ans := answer{status: p.status, header: jsonHeader(), body: t.problem(p)}
	switch t.Errors { //nolint:exhaustive // the others are JSON
	case ErrorProblem:
		ans.header["Content-Type"] = "application/problem+json"
	case ErrorHTML:
		ans.header["Content-Type"] = "text/html; charset=utf-8"
	case ErrorEmpty:
		delete(ans.header, "Content-Type")
	}
	if t.Soft && slices.Contains(soft, p.status) {
		ans.status = http.StatusOK
	}
	return ans
}

// problem is the body of a refusal.
func (t Traits) problem(p problem) []byte {
	text, code, title := encode(p.text), encode(p.code), encode(http.StatusText(p.status))
	switch t.Errors {
	case ErrorProblem:
		return concat(`{"type":"about:blank","title":`, title, `,"status":`, encode(p.status), `,"detail":`, text, "}")
	case ErrorCode:
		return concat("{", t.flag(false), `"error":{"code":`, code, `,"message":`, text, "}}")
	case ErrorMessage:
		return concat("{", t.flag(false), `"message":`, text, "}")
	case ErrorTexts:
		return concat(`{"statusCode":`, encode(p.status), `,"message":[`, text, `],"error":`, title, "}")
	case ErrorList:
		return concat(`{"errors":[{"code":`, code, `,"detail":`, text, "}]}")
	case ErrorFields:
		return concat(`{"errors":{"base":[`, text, "]}}")
	case ErrorBare:
		return concat(`{"base":[`, text, "]}")
	case ErrorDetail:
		return concat(`{"detail":`, text, "}")
	case ErrorDetails:
		return concat(`{"detail":[{"loc":["body"],"msg":`, text, `,"type":`, code, "}]}")
	case ErrorArray:
		return concat(`[{"errorCode":`, code, `,"message":`, text, "}]")
	case ErrorHTML:
		return concat("<!DOCTYPE html>\n<html><body><h1>", p.text, "</h1></body></html>\n")
	case ErrorEmpty:
		return nil
	case ErrorText:
	}
	return concat("{", t.flag(false), `"error":`, text, "}")
}
