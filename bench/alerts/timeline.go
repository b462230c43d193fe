package main

import (
	"fmt"
	"io"
	"math"
	"sort"
	"time"
)

// timeline prints the truth of one key around everything that happened to it.
func timeline(w io.Writer, c *Clock, k *Key, bySet map[string][]Episode, rp *Report, from, to string) {
	type ev struct {
		at   int64
		text string
	}
	var evs []ev
	add := func(at int64, f string, a ...any) { evs = append(evs, ev{at, fmt.Sprintf(f, a...)}) }
	fmt.Fprintf(w, "\nkey %d %s: reset %s, limit %.4g, call %.3g, lag %ds, ttl %ds, byok %.2f, unlimited %v\n", k.ID, k.Class, k.Reset, k.limit0, k.callCost, k.Env.Lag, k.Env.TTL, k.BYOKShare, k.Unlimited)
	for _, e := range k.Exh {
		add(c.unix(e.From), "** EXHAUSTED (%s) until %s", e.Class, time.Unix(c.unix(e.To), 0).UTC().Format("01-02 15:04"))
	}
	for m := 1; m <= c.N; m++ {
		if k.limits[m] != k.limits[m-1] {
			add(c.unix(m), "-- limit %.4g -> %.4g", k.limits[m-1], k.limits[m])
		}
	}
	for _, f := range k.Env.Frozen {
		add(c.unix(f.from), "-- frozen")
		add(c.unix(f.to), "-- thawed")
	}
	for _, l := range k.Env.Lives {
		for _, g := range l.gaps {
			add(c.unix(g.from), "-- scrape gap of %d min", g.to-g.from)
		}
	}
	for _, r := range k.runaways {
		add(c.unix(r.start), "-- runaway begins (until %d min after exhaustion; fixed at minute %d)", r.grace, max(0, r.fixedAt-r.start))
	}
	for _, r := range k.refunds {
		add(c.unix(r.at), "-- refund %.4g", r.amount)
	}
	for _, m := range k.resets {
		if k.Reset != Daily {
			add(c.unix(m), "-- reset")
		}
	}
	for set, eps := range bySet {
		for _, e := range eps {
			note := ""
			if e.Matches && (e.Severity == "critical" || e.Severity == "warning") {
				ok, _ := rp.right(k, int((e.Start-c.T0)/60), e.Severity == "critical")
				note = map[bool]string{true: "right", false: "FALSE"}[ok && !k.LimitZero]
			}
			lasts := fmt.Sprintf("for %d min", (e.End-e.Start)/60)
			if e.End == untilEnd {
				lasts = "until the end"
			}
			add(e.Start, "[%s] %s %s FIRES %s  %s", set, e.Severity, e.Alert, lasts, note)
		}
	}
	parse := func(s string, def int64) int64 {
		if t, err := time.Parse(minuteLayout, s); err == nil {
			return t.Unix()
		}
		return def
	}
	a, b := parse(from, c.unix(c.ScoreFrom)), parse(to, c.unix(c.RunTo))
	if from != "" {
		for t := a; t < b; t += 900 {
			add(t, "")
		}
	}
	sort.SliceStable(evs, func(i, j int) bool { return evs[i].at < evs[j].at })
	for _, e := range evs {
		if e.at < a || e.at > b {
			continue
		}
		m := int((e.at - c.T0) / 60)
		burn := func(n int) float64 { return (k.total[m] - k.total[max(0, m-n)]) / float64(n) * 60 }
		b1 := burn(60)
		tte, ttr := "-", "-"
		if b1 > 0 {
			tte = fmt.Sprintf("%.1fh", k.rem[m]/b1)
		}
		if k.Reset != Never {
			ttr = fmt.Sprintf("%.1fh", float64(windowEnd(k.Reset, e.at)-e.at)/3600)
		}
		fmt.Fprintf(w, "%s  left %8.4g (%5.1f%%)  /h 15m %8.4g 1h %8.4g 6h %8.4g  out in %7s reset in %7s  %s\n", time.Unix(e.at, 0).UTC().Format("Mon 01-02 15:04"),
			k.rem[m], 100*k.rem[m]/math.Max(1e-9, k.limitAt(m)), burn(15), b1, burn(360), tte, ttr, e.text)
	}
}
