package main

import "math"

// rememberedAlert is one whose condition depends on whether it fires already, and the series that remembers since when.
type rememberedAlert struct {
	since        line
	wait         float64 // seconds
	name         string
	severity     string
	active, last float64 // since when the alert is pending, and when its condition was last true
	open         *Episode
}

// set remembers since when the condition is true. `every`: the condition may become true now.
func (a *rememberedAlert) set(i int, now float64, condition, every bool) {
	before := a.since.before(i, 1)
	switch {
	case !condition:
	case present(before):
		a.since[i] = before
	case every:
		a.since[i] = now
	}
}

// fired reports whether the alert fired at its last evaluation.
func (a *rememberedAlert) fired(i int, now float64) bool { return now-a.since.before(i, 1) > a.wait }

// fires is the same now.
func (a *rememberedAlert) fires(i int, now float64) bool { return now-a.since[i] >= a.wait }

// recent reports whether the condition was true within some seconds.
func (a *rememberedAlert) recent(now, seconds float64) bool { return now-a.last < seconds }

// twinAlerts are the alerts of the twin, with their severities.
var twinAlerts = []alertUse{
	{name: "AIGatewayKeyExhausted", severity: "critical", fired: episodesUnknown},
	{name: "AIGatewayKeyExhaustionImminent", severity: "critical", fired: episodesUnknown},
	{name: "AIGatewayKeyExhaustionPredicted", severity: "warning", fired: episodesUnknown},
	{name: "AIGatewayKeyExhaustionSlow", severity: "warning", fired: episodesUnknown},
	{name: "AIGatewayKeyLimitLow", severity: "info", fired: episodesUnknown},
}

// alerts computes when the alerts of a key fire.
func (t *twin) alerts(k *Key, c *conditions) []Episode {
	n := len(c.now)
	create := func(name, severity string, wait float64) *rememberedAlert {
		return &rememberedAlert{since: newLine(n), wait: wait, name: "AIGatewayKey" + name, severity: severity, active: absent, last: math.Inf(-1)}
	}
	exhausted := create("Exhausted", "critical", 120)
	imminent := create("ExhaustionImminent", "critical", 120)
	predicted := create("ExhaustionPredicted", "warning", 120)
	slow := create("ExhaustionSlow", "warning", daySec)
	low := create("LimitLow", "info", 900)
	all := []*rememberedAlert{exhausted, imminent, predicted, slow, low}
	var episodes []Episode
	end := absent
	for i, now := range c.now {
		remaining, reset := c.remaining[i], c.reset[i]
		known := present(remaining)
		changed := t.changed(c, i)
		end = t.silence(c, i, end, all)
		silent := end > now && c.seen[i]-now <= -memorySec && t.has("all: silence")
		for a, condition := range map[*rememberedAlert]float64{imminent: c.imminent[i], predicted: c.predicted[i], low: c.low[i]} {
			if present(condition) {
				a.last = now
			}
		}
		// The group aigateway-key-reserves is evaluated every four minutes.
		patient := i%2 == 0
		exhausted.set(i, now, t.isExhausted(c, i, exhausted.fired(i, now)) || silent && exhausted.fired(i, now), known)
		nearer := []*rememberedAlert{exhausted}
		for _, x := range []struct {
			a      *rememberedAlert
			begins line
			keeps  bool
		}{
			{imminent, c.imminent, imminent.recent(now, 3600) && t.has("imminent: memory")},
			{predicted, c.predicted, t.staysPredicted(c, i, predicted)},
			{slow, c.slow, t.lastsLess(c.exhaustion3d.lately(i), 2*t.limits.Slow, reset) && t.has("slow: memory")},
			{low, c.low, low.recent(now, 3600) && t.has("low: memory")},
		} {
			if (x.a == slow || x.a == low) && !patient {
				x.a.since[i] = x.a.since[i-1]
				continue
			}
			begins, keeps, fired := present(x.begins[i]), x.keeps, x.a.fired(i, now)
			for _, other := range nearer {
				begins = begins && !present(other.since[i])
				keeps = keeps || other.fires(i, now)
			}
			x.a.set(i, now, begins || known && fired && keeps && !changed || silent && fired, present(x.begins[i]))
			nearer = append(nearer, x.a)
		}
		for _, a := range all {
			if (a == slow || a == low) && !patient {
				continue
			}
			shown := silent || known
			switch a {
			case exhausted:
				shown = shown && !imminent.fires(i, now)
			case imminent:
				shown = shown || a.recent(now, 3600)
			case slow:
				shown = shown || present(c.exhaustion3d.lately(i))
			case low:
				shown = silent || known && c.limit[i] > 0
			}
			if e := a.evaluate(now, c.owner[i] && present(a.since[i]) && shown, k.Name); e != nil {
				episodes = append(episodes, *e)
			}
		}
	}
	for _, a := range all {
		if a.open != nil {
			a.open.End = untilEnd
			episodes = append(episodes, *a.open)
		}
	}
	return episodes
}

// evaluate is what Prometheus does with an alert: it returns the episode that ends.
func (a *rememberedAlert) evaluate(now float64, active bool, key string) (ended *Episode) {
	if !active {
		ended, a.open, a.active = a.open, nil, absent
		if ended != nil {
			ended.End = int64(now)
		}
		return ended
	}
	if !present(a.active) {
		a.active = now
	}
	if now-a.active >= a.wait && a.open == nil {
		a.open = &Episode{Alert: a.name, Severity: a.severity, Key: key, Start: int64(now), Matches: true}
	}
	return nil
}

func (t *twin) isExhausted(c *conditions, i int, fired bool) bool {
	left := c.nearlyOut[i]
	stopped := func(idle, rest float64) bool {
		return left >= c.nearlyOut.before(i, int(idle/120)) && c.exhaustion1h[i] < rest
	}
	l := &t.limits
	return present(left) && (left <= 0 ||
		stopped(l.Exhausted.Idle, l.Exhausted.Rest) && t.has("exhausted: stopped") ||
		stopped(l.ExhaustedSeldom.Idle, l.ExhaustedSeldom.Rest) && t.has("exhausted: seldom") ||
		fired && !(c.exhaustion15m[i] > l.Imminent) && t.has("exhausted: memory"))
}

func (t *twin) staysPredicted(c *conditions, i int, a *rememberedAlert) bool {
	reset, day := c.reset[i], 2*t.limits.Predicted
	return t.has("predicted: memory") && (a.recent(c.now[i], 6*3600) ||
		t.lastsLess(c.exhaustion6h.lately(i), day, reset) && t.has("predicted: memory of six hours"))
}

// changed reports whether the key got new credits in the last ten minutes.
func (t *twin) changed(c *conditions, i int) bool {
	const back = 5
	before := c.limit.before(i, back)
	if !present(before) {
		before = c.alertedLimit.before(i, back)
	}
	return (c.limit[i] > before || c.reset[i] > c.reset.before(i, back)) && t.has("all: changed limit")
}

// silence returns until when an alert may fire if no further answer arrives, and remembers the limit of a key with an alert.
func (t *twin) silence(c *conditions, i int, end float64, all []*rememberedAlert) float64 {
	alerted := false
	for _, a := range all {
		alerted = alerted || present(a.since.before(i, 1))
	}
	switch {
	case alerted && present(c.limit[i]):
		c.alertedLimit[i] = c.limit[i]
	case present(c.seen[i]):
		c.alertedLimit[i] = c.alertedLimit.before(i, 1)
	}
	switch {
	case alerted && present(c.reset[i]) && present(c.remaining[i]):
		return math.Min(c.reset[i], t.limits.Unheard) + c.now[i]
	case !present(c.seen[i]):
		return absent
	}
	return end
}
