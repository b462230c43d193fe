package main

import "testing"

func TestJudge(t *testing.T) {
	const out, end = 900, 1440 // Calls are refused from minute 900 until the reset of the day.
	at := func(severity string, from, to int) Episode {
		return Episode{Alert: "Low", Severity: severity, Start: int64(from) * 60, End: int64(to) * 60, Matches: true}
	}
	uncounted := at("critical", out-100, end)
	uncounted.Matches = false
	for title, test := range map[string]struct {
		episodes []Episode
		want     tally
	}{
		"nothing":                    {nil, tally{foreMissed: 1}},
		"a warning in time":          {[]Episode{at("warning", out-60, end)}, tally{fore1h: 1, warn: 1, episodes: 1}},
		"a late warning":             {[]Episode{at("warning", out-59, end)}, tally{warn: 1, episodes: 1}},
		"a page in time":             {[]Episode{at("critical", out-15, end)}, tally{crit15: 1, crit: 1, episodes: 1}},
		"a late page":                {[]Episode{at("critical", out-14, end)}, tally{crit: 1, episodes: 1}},
		"an early page":              {[]Episode{at("critical", out-60, end)}, tally{fore1h: 1, crit15: 1, crit: 1, episodes: 1}},
		"a page after the end":       {[]Episode{at("critical", out+1, end)}, tally{foreMissed: 1, crit: 1, episodes: 1}},
		"one that ended before":      {[]Episode{at("warning", out-90, out-16)}, tally{foreMissed: 1, warn: 1, episodes: 1}},
		"one that ended just before": {[]Episode{at("warning", out-90, out-15)}, tally{fore1h: 1, warn: 1, episodes: 1}},
		"one that comes back":        {[]Episode{at("warning", out-120, out-90), at("warning", out-30, end)}, tally{fore1h: 1, warn: 2, episodes: 2, flaps: 1}},
		"one that comes back late":   {[]Episode{at("warning", out-120, out-91), at("warning", out-30, end)}, tally{warn: 2, episodes: 2, flaps: 1}},
		"an info alert":              {[]Episode{at("info", out-90, end)}, tally{foreMissed: 1, episodes: 1}},
		"another name":               {[]Episode{uncounted}, tally{foreMissed: 1}},
		// The key spends nothing on the second day.
		"a false warning":     {[]Episode{at("warning", end+graceMins, end+60)}, tally{foreMissed: 1, warn: 1, falseWarn: 1}},
		"a false page":        {[]Episode{at("critical", end+graceMins, end+60)}, tally{foreMissed: 1, crit: 1, falseCrit: 1}},
		"a page in its grace": {[]Episode{at("critical", end+graceMins-1, end+60)}, tally{foreMissed: 1, crit: 1}},
	} {
		k, c := spendingKey(Daily, out, func(m int) float64 { return b2f(m < out) })
		for m := end; m <= c.N; m++ {
			k.rem[m] = out
		}
		k.Exh = []Exhaustion{{From: out, To: end, Class: "foreseeable"}}
		rp := &Report{c: c, tallies: map[string]map[string]*tally{}}
		rp.judge(k, "ours", test.episodes)
		test.want.keys, test.want.exh, test.want.fore = 1, 1, 1
		if got := rp.tallies["ours"]["test"]; !sameFigures(got, &test.want) {
			t.Errorf("%s: %+v, want %+v", title, *got, test.want)
		}
	}
}

// sameFigures compares everything but the leads.
func sameFigures(a, b *tally) bool {
	figures := func(t *tally) [15]int {
		return [...]int{t.keys, t.exh, t.fore, t.sudden, t.blind, t.fore1h, t.crit15, t.foreMissed, t.otherMissed,
			t.falseCrit, t.falseWarn, t.crit, t.warn, t.episodes, t.flaps}
	}
	return figures(a) == figures(b)
}

func TestLeadReachesTheWindowAtMost(t *testing.T) {
	warning := []Episode{{Severity: "warning", Start: 0, End: 200 * 60, Matches: true}}
	if lead, ok := chain(&Clock{}, &Exhaustion{From: 200, To: 300, Window: 80}, warning, false); !ok || lead != 120*60 {
		t.Errorf("lead %v, %v, want two hours", lead, ok)
	}
}
