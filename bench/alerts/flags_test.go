package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestCheckCombinations(t *testing.T) {
	for want, o := range map[string]options{
		"it needs -cost":                       {rules: "a=b", fleet: "keys", data: "folder"},
		"it needs -twin":                       {rules: "a=b", fleet: "keys", without: "each"},
		"or a clause: imminent: lasting rate,": {twin: "file", fleet: "keys", without: "other"},
		"-twin has only the rules on keys":     {twin: "file", fleet: "budgets"},
		"-oracle knows only keys":              {oracle: "1", fleet: "accounts"},
		"it needs -key":                        {rules: "a=b", fleet: "keys", verbose: true, key: -1},
		"has no timelines":                     {rules: "a=b", fleet: "anomalies", verbose: true},
		"they need -v":                         {rules: "a=b", fleet: "keys", from: "2026-03-16T08:00"},
		"must name one rule file":              {rules: "a=b,c=d", fleet: "keys", stories: "file", given: map[string]bool{"rules": true}},
		"must name a rule file":                {fleet: "keys"},
	} {
		if err := o.checkCombinations(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if err := (&options{twin: "file", fleet: "keys", without: clauses[0]}).checkCombinations(); err != nil {
		t.Error(err)
	}
}

func TestCheckNumbers(t *testing.T) {
	o := options{keys: 0, days: 1, procs: 1, key: -1, given: map[string]bool{"days": true}}
	if err := o.checkNumbers(); err != nil {
		t.Errorf("%v, want no error for defaults", err)
	}
	o.given["keys"] = true
	if err := o.checkNumbers(); err == nil || err.Error() != "-keys 0: it must be at least 1" {
		t.Errorf("%v, want an error on -keys", err)
	}
}

func TestParse(t *testing.T) {
	o := options{rules: "a=1.yaml, b=2.yaml", start: "2026-03-16", days: 14, warmup: 3}
	if err := o.parse(); err != nil || !slices.Equal(o.files, []RuleSet{{"a", "1.yaml"}, {"b", "2.yaml"}}) {
		t.Errorf("%v, %v, want two files", o.files, err)
	}
	for want, o := range map[string]options{
		`"file.yaml" must be name=file`:                          {rules: "file.yaml", start: "2026-03-16"},
		"it must be a day like 2026-03-16":                       {start: "16.3.2026"},
		"it must be a minute like 2026-03-16T08:00":              {start: "2026-03-16", from: "2026-03-16"},
		"the simulated time is 2026-03-01T00:00 to 2026-04-01T0": {start: "2026-03-16", days: 1, to: "2026-04-01T00:01"},
		`-class "(": `: {start: "2026-03-16", class: "("},
	} {
		if err := o.parse(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func TestClockOfOptions(t *testing.T) {
	const day = 1440
	for title, test := range map[string]struct {
		warmup, days int
		want         Clock
	}{
		"ends with the month":  {3, 1, Clock{RunFrom: 12 * day, ScoreFrom: 15 * day, RunTo: 16 * day, N: 31 * day}},
		"ends a week after it": {3, 14, Clock{RunFrom: 12 * day, ScoreFrom: 15 * day, RunTo: 29 * day, N: 37 * day}},
		"begins a month ahead": {16, 1, Clock{RunFrom: 27 * day, ScoreFrom: 43 * day, RunTo: 44 * day, N: 59 * day}},
	} {
		o := options{warmup: test.warmup, days: test.days, firstDay: time.Date(2026, 3, 16, 0, 0, 0, 0, time.UTC)}
		got := *o.clock()
		got.T0 = 0
		if got != test.want {
			t.Errorf("%s: %+v, want %+v", title, got, test.want)
		}
	}
}

func TestSelected(t *testing.T) {
	classOf := func(id int) string { return []string{"steady", "bursty"}[id%2] }
	for _, test := range []struct {
		class string
		key   int
		want  []int
		err   string
	}{
		{"", -1, []int{0, 1, 2}, ""},
		{"burst", -1, []int{1}, ""},
		{"", 7, []int{7}, ""},
		{"steady", 1, nil, "key 1 has the class bursty"},
		{"none", -1, nil, "a class of the fleet: steady, bursty"},
	} {
		o := options{keys: 3, key: test.key, class: test.class, classRegexp: regexp.MustCompile(test.class)}
		ids, err := o.selected(classOf)
		if !slices.Equal(ids, test.want) || (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
			t.Errorf("class %q, key %d: %v, %v, want %v, %q", test.class, test.key, ids, err, test.want, test.err)
		}
	}
}

func TestShellWord(t *testing.T) {
	for text, want := range map[string]string{"-rules=a=b/c.yaml,d=e": "-rules=a=b/c.yaml,d=e", "-class=a|b": "'-class=a|b'", "it's": `'it'\''s'`} {
		if got := shellWord(text); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
