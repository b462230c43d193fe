package main

import "math"

const (
	evaluationsADay     = 720
	evaluationsAnHour   = 30
	firstSecondsOfToday = memorySec
)

// days is the group aigateway-key-days.
func (t *twin) days(r *recorded, i int) {
	r.burn(r.burn6h, i, 6*60, 3600)
	r.burn(r.burn1d, i, 1440, 6*3600)
	r.exhaustion(r.exhaustion6h, i, r.burn6h[i])
	r.exhaustion(r.exhaustion1d, i, r.burn1d[i])
	r.exhaustion(r.exhaustion3d, i, r.burn3d.historic(i))
	t.usualHour(r, r.usual, i, evaluationsADay)
	t.usualHour(r, r.usualNext, i, evaluationsADay-evaluationsAnHour)
	if r.peak15m[i] = r.max15m3d.historic(i); !present(r.peak15m[i]) {
		r.peak15m[i] = r.limit[i] * 0
	}
	if r.peak1h[i] = r.max1h3d.historic(i); !present(r.peak1h[i]) {
		r.peak1h[i] = r.limit[i] * 0
	}
}

func (t *twin) usualHour(r *recorded, usual line, i, back int) {
	usual[i] = usual.before(i, evaluationsADay)
	rich := r.remaining.before(i, back) > t.limits.DryRatio*r.limit.before(i, back) || !t.has("forecast: dry hours")
	if rate := r.burn1h.before(i, back); present(rate) && rich {
		usual[i] = rate
	}
}

// forecast is the group aigateway-key-forecast.
func (t *twin) forecast(r *recorded, i int, processes []*instance) {
	const day = evaluationsADay
	if math.Mod(r.now[i], daySec) >= firstSecondsOfToday {
		r.usageDay[i] = r.used(i, processes, inDay, inByokDay)
	}
	midnight := r.usage[i] - r.usageDay[i]
	r.yesterday[i] = midnight - (r.usage.before(i, day) - r.usageDay.before(i, day))
	rich := r.minRatio1d.historic(i) > t.limits.DryRatio || !t.has("forecast: dry days")
	if late := midnight - r.usage.before(i, day); r.yesterday[i] > 0 && rich && present(late) {
		r.shareYesterday[i] = math.Max(late, 0) / r.yesterday[i]
	}
	r.share[i] = typical(r.shareYesterday[i], r.share.before(i, day))
	before := r.typicalDay.before(i, day)
	switch {
	case present(r.shareYesterday[i]):
		r.typicalDay[i] = typical(r.yesterday[i], before)
	case r.yesterday[i] < before || !present(r.yesterday[i]):
		r.typicalDay[i] = before
	default:
		r.typicalDay[i] = r.yesterday[i]
	}
	r.rest[i] = r.share[i] * (r.usageDay[i] + r.typicalDay[i]) / (2 - r.share[i])
	t.need(r, i)
}

func typical(yesterday, before float64) float64 {
	switch {
	case !present(yesterday):
		return before
	case !present(before):
		return yesterday
	}
	return (yesterday + before) / 2
}

func (t *twin) need(r *recorded, i int) {
	reset := r.reset[i]
	needed := absent
	switch {
	case reset <= daySec && t.has("predicted: typical day"):
		margin := t.limits.ForecastMargin * reset / daySec
		if !t.has("forecast: margin") {
			margin = 0
		}
		if r.exhaustion1d[i] < t.limits.DayConfirms*reset || !t.has("predicted: day's rate") {
			needed = r.rest[i] / (1 + margin)
		}
	case reset > daySec && t.has("predicted: last day"):
		needed = r.burn1d[i] * t.limits.PredictedDays
	}
	if needed > r.remaining[i] {
		r.needed[i] = needed
	}
}
