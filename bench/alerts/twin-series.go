package main

import "math"

// recorded holds the series of one key that the conditions read.
type recorded struct {
	c                                                            *Clock
	now                                                          []float64
	owner, long                                                  []bool // the key is known; its limit resets monthly or never
	seen, usage, limit, reset, remaining                         line
	burn15m, burn1h, burn6h, burn1d, burn3d                      line
	exhaustion15m, exhaustion1h, exhaustion6h                    line
	exhaustion1d, exhaustion3d                                   line
	usual, usualNext, peak15m, peak1h                            line
	max15m2h, max1h2h, max15m3d, max1h3d, minRatio2h, minRatio1d line
	usageDay, yesterday, typicalDay, shareYesterday, share, rest line
	needed                                                       line
}

// What an exporter exposes, by instance. The last two are limit_reset with the value never or monthly.
var exposed = []string{
	"aigateway_key_last_success_timestamp_seconds", "aigateway_key_usage_credits", "aigateway_key_byok_usage_credits", "aigateway_key_byok_in_limit",
	"aigateway_key_limit_credits", "aigateway_key_limit_next_reset_timestamp_seconds", "aigateway_key_limit_remaining_credits",
	"aigateway_key_usage_day_credits", "aigateway_key_byok_usage_day_credits", "aigateway_key_owner_info", "never", "monthly",
}

const (
	inSuccess = iota
	inUsage
	inByok
	inByokCounts
	inLimit
	inNextReset
	inRemaining
	inDay
	inByokDay
	inOwner
	inNever
	inMonthly
)

// instance holds the newest samples of one process.
type instance struct {
	at    [12]int64 // milliseconds
	value [12]float64
}

const memorySec = 25 * 60

// latest is last_over_time over 25 minutes.
func (x *instance) latest(i int, now float64) float64 {
	if float64(x.at[i]) > (now-memorySec)*1000 {
		return x.value[i]
	}
	return absent
}

// collect returns a sink for the scrapes, and the processes that it has seen.
func collect(processes *[]*instance) (needed func(string) bool, put sink) {
	index := map[string]int{}
	for i, name := range exposed {
		index[name] = i
	}
	byName := map[string]*instance{}
	type target struct {
		process *instance
		i       int
	}
	targets := map[*slot]target{}
	needed = func(name string) bool { _, ok := index[name]; return ok || name == "aigateway_key_limit_reset" }
	return needed, func(s *slot, t int64, v float64) {
		to, ok := targets[s]
		if !ok {
			name := s.lset.Get("instance")
			if byName[name] == nil {
				byName[name] = &instance{}
				*processes = append(*processes, byName[name])
			}
			name, i := s.lset.Get("__name__"), -1
			if name == "aigateway_key_limit_reset" {
				name = s.lset.Get("aigateway_key_limit_reset")
			}
			if j, ok := index[name]; ok {
				i = j
			}
			to = target{byName[s.lset.Get("instance")], i}
			targets[s] = to
		}
		if to.i >= 0 && present(v) {
			to.process.at[to.i], to.process.value[to.i] = t, v
		}
	}
}

// series plays the scrapes of a key and computes its recorded series.
func (t *twin) series(k *Key, c *Clock) *recorded {
	n := (c.RunTo - c.RunFrom) / 2
	r := &recorded{c: c, now: make([]float64, n), owner: make([]bool, n), long: make([]bool, n)}
	for _, l := range []*line{&r.seen, &r.usage, &r.limit, &r.reset, &r.remaining, &r.burn15m, &r.burn1h, &r.burn6h, &r.burn1d, &r.burn3d,
		&r.exhaustion15m, &r.exhaustion1h, &r.exhaustion6h, &r.exhaustion1d, &r.exhaustion3d, &r.usual, &r.usualNext, &r.peak15m, &r.peak1h,
		&r.max15m2h, &r.max1h2h, &r.max15m3d, &r.max1h3d, &r.minRatio2h, &r.minRatio1d,
		&r.usageDay, &r.yesterday, &r.typicalDay, &r.shareYesterday, &r.share, &r.rest, &r.needed} {
		*l = newLine(n)
	}
	var processes []*instance
	needed, put := collect(&processes)
	for m := c.RunFrom; m < c.RunTo; m++ {
		for i := range k.Env.Lives {
			k.Env.Lives[i].scrape(c, k, m, needed, put)
		}
		if m%2 != 0 {
			continue
		}
		i := (m - c.RunFrom) / 2
		r.now[i] = float64(c.unix(m) + 59)
		r.inputs(i, processes)
		if m%60 == 0 {
			r.history(i)
		}
		if m%4 == 0 {
			t.days(r, i)
			t.forecast(r, i, processes)
		}
	}
	return r
}

// inputs is the group aigateway-key-inputs.
func (r *recorded) inputs(i int, processes []*instance) {
	now := r.now[i]
	for _, x := range processes {
		r.seen[i] = math.Max(orLess(r.seen[i]), orLess(x.latest(inSuccess, now)))
		r.owner[i] = r.owner[i] || present(x.latest(inOwner, now))
		r.long[i] = r.long[i] || x.latest(inNever, now) == 1 || x.latest(inMonthly, now) == 1
	}
	if math.IsInf(r.seen[i], -1) {
		r.seen[i] = absent
	}
	one := func(family int) float64 {
		return r.freshest(i, processes, func(x *instance) float64 { return x.latest(family, now) })
	}
	r.usage[i] = r.used(i, processes, inUsage, inByok)
	if !present(r.usage[i]) && r.seen[i] <= now-memorySec {
		r.usage[i] = r.usage.before(i, 1)
	}
	r.limit[i] = one(inLimit)
	if next := one(inNextReset); present(next) {
		r.reset[i] = next - now
	} else if one(inNever) == 1 {
		r.reset[i] = math.Inf(1)
	} else {
		r.reset[i] = r.limit[i]*0 + (daySec - math.Mod(now, daySec))
	}
	if r.reset[i] > 0 && now-r.seen[i] < memorySec {
		r.remaining[i] = one(inRemaining)
	}
	r.burn(r.burn15m, i, 15, 300)
	r.burn(r.burn1h, i, 60, 600)
	r.exhaustion(r.exhaustion15m, i, r.burn15m[i])
	r.exhaustion(r.exhaustion1h, i, r.burn1h[i])
}

func orLess(x float64) float64 {
	if present(x) {
		return x
	}
	return math.Inf(-1)
}

// freshest returns the largest value of the processes with the newest answer.
func (r *recorded) freshest(i int, processes []*instance, value func(*instance) float64) float64 {
	most := absent
	for _, x := range processes {
		if v := value(x); x.latest(inSuccess, r.now[i]) >= r.seen[i] && present(v) && !(v <= most) {
			most = v
		}
	}
	return most
}

func (r *recorded) used(i int, processes []*instance, own, byok int) float64 {
	return r.freshest(i, processes, func(x *instance) float64 {
		sum := x.latest(own, r.now[i])
		if other := x.latest(byok, r.now[i]); present(other) && x.latest(inByokCounts, r.now[i]) == 1 {
			return sum + other
		}
		return sum
	})
}

func (r *recorded) burn(rate line, i, minutes int, measured float64) {
	back := (minutes + 1) / 2
	span := r.seen[i] - r.seen.before(i, back)
	if used := r.usage[i] - r.usage.before(i, back); present(used) && span >= measured {
		rate[i] = math.Max(used, 0) / span
	}
}

func (r *recorded) exhaustion(seconds line, i int, rate float64) {
	if rate > 0 && present(r.remaining[i]) {
		seconds[i] = math.Max(r.remaining[i], 0) / rate
	}
}

// history is the group aigateway-key-history.
func (r *recorded) history(i int) {
	const hour, day = evaluationsAnHour, 24
	r.burn(r.burn3d, i, 3*1440, daySec)
	r.max15m2h[i] = r.burn15m.most(1, i, 0, 2*hour, 1)
	r.max1h2h[i] = r.burn1h.most(1, i, 0, 2*hour, 1)
	r.max15m3d[i] = r.max15m2h.most(1, i, 3*hour, 3*day, hour)
	r.max1h3d[i] = r.max1h2h.most(1, i, 3*hour, 3*day, hour)
	if r.limit[i] > 0 {
		r.minRatio2h[i] = r.remaining.most(-1, i, 0, 2*hour, 1) / r.limit[i]
	}
	r.minRatio1d[i] = r.minRatio2h.most(-1, i, hour, day, hour)
}
