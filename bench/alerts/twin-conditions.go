package main

import "math"

// conditions holds the series of the alerts' start conditions.
type conditions struct {
	*recorded
	imminent, predicted, slow, low, nearlyOut, alertedLimit line
}

// conditions computes the start conditions: groups aigateway-key-credits and aigateway-key-reserves up to the alerts.
func (t *twin) conditions(r *recorded) *conditions {
	n := len(r.now)
	c := &conditions{r, newLine(n), newLine(n), newLine(n), newLine(n), newLine(n), newLine(n)}
	for i := range n {
		remaining, limit := r.remaining[i], r.limit[i]
		ratio := t.restRatio(r, i)
		if t.isImminent(r, i, ratio) {
			c.imminent[i] = r.exhaustion15m[i]
		}
		if remaining > 0 && t.isPredicted(r, i, ratio) {
			c.predicted[i] = remaining
		}
		if limit > 0 && remaining <= t.limits.ExhaustedRatio*limit {
			c.nearlyOut[i] = remaining
		}
		if i%2 != 0 {
			continue // The other two are evaluated every four minutes.
		}
		if long := r.exhaustion3d.lately(i); t.lastsLess(long, t.limits.Slow, r.reset[i]) && remaining > 0 && r.long[i] &&
			(r.exhaustion1d.lately(i) < t.limits.Slow || !t.has("slow: last day")) {
			c.slow[i] = long
		}
		if limit > 0 && remaining/limit < t.limits.Low && remaining > 0 && (r.exhaustion1d.lately(i) < r.reset[i] || !t.has("low: last day")) {
			c.low[i] = remaining / limit
		}
	}
	return c
}

func (t *twin) lastsLess(seconds, than, reset float64) bool { return seconds < than && seconds < reset }

// restRatio is the forecast rest of today divided by what is left, while earlier days are a guide.
func (t *twin) restRatio(r *recorded, i int) float64 {
	usual := t.limits.AsUsual * r.usual.lately(i)
	asUsual := usual > r.burn1h[i] && usual > r.burn15m[i] || !t.has("forecast: as usual")
	if r.remaining[i] > 0 && r.reset[i] <= daySec && asUsual {
		return r.rest.lately(i) / r.remaining[i]
	}
	return absent
}

// lasting is the time that an hour's rate leaves if each quarter of the hour contributed to it.
func (t *twin) lasting(r *recorded, i int) float64 {
	for _, back := range []int{0, 8, 15, 23} {
		if !(r.burn15m.before(i, back) > t.limits.LastingPart*r.burn1h[i]) {
			return absent
		}
	}
	return r.exhaustion1h[i]
}

func (t *twin) isImminent(r *recorded, i int, ratio float64) bool {
	l := &t.limits
	quarter, hour, reset := r.exhaustion15m[i], r.exhaustion1h[i], r.reset[i]
	if !(quarter > l.ImminentOver && quarter < l.Certain.Within && quarter < reset) {
		return false
	}
	withinDay := math.Min(reset, daySec)
	unusualHour := r.burn1h[i] > l.Unusual1h*r.peak1h.lately(i) && t.has("imminent: unusual hour")
	lasting := t.lasting(r, i)
	rate := lasting < l.Imminent && t.has("imminent: lasting rate")
	if r.exhaustion6h.lately(i) >= withinDay && !unusualHour && t.has("imminent: six hours") {
		rate = false
	}
	unusualQuarter := r.burn15m[i] > l.UnusualNow*r.peak15m.lately(i) && t.has("imminent: unusual quarter")
	quiet := quarter > l.NextHour.Quarter && hour >= l.NextHour.Margin*3600*r.usualNext.lately(i)/positive(r.usual.lately(i)) && !unusualHour && t.has("imminent: next hour")
	typicalDay := ratio > l.Certain.Ratio && present(lasting) && t.has("imminent: typical day")
	lastDay := quarter < l.Imminent && r.exhaustion1d.lately(i) < l.LongBefore*withinDay && t.has("imminent: last day")
	if !(quarter < l.Imminent && (rate || unusualQuarter) && !quiet || typicalDay || lastDay) {
		return false
	}
	lasts := ratio < l.LastsUsually && t.has("imminent: lasts usually")
	perhaps := ratio < l.LastsPerhaps && quarter > l.ImminentUncertain && t.has("imminent: lasts perhaps")
	return !lasts && !perhaps
}

func positive(x float64) float64 {
	if x > 0 {
		return x
	}
	return absent
}

func (t *twin) isPredicted(r *recorded, i int, ratio float64) bool {
	l := &t.limits
	quarter, hour := r.exhaustion15m[i], r.exhaustion1h[i]
	unusual := r.burn15m[i] > l.Unusual15m*r.peak15m.lately(i) && t.has("predicted: unusual quarter")
	anyway := hour < l.PredictedAnyway && quarter < l.PredictedAnyway && t.has("predicted: leaves an hour")
	lasting := t.lasting(r, i) < l.PredictedSoon && (r.exhaustion6h.lately(i) < 2*l.PredictedSoon || !t.has("predicted: six hours")) && t.has("predicted: lasting rate")
	nextHour := quarter < l.PredictedNextHour && r.remaining[i] < l.PredictedNextHour*r.usualNext.lately(i) && t.has("predicted: usual next hour")
	lasts := ratio < l.LastsUsually && (hour > l.LastsRate || ratio < l.LastsSurely && t.has("predicted: lasts surely")) && t.has("predicted: lasts usually")
	if t.lastsLess(quarter, l.PredictedSoon, r.reset[i]) && (unusual || anyway || lasting || nextHour) && !lasts {
		return true
	}
	return r.needed[i-i%2] > r.remaining[i]
}
