package main

import (
	"math"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/value"
)

// Env is what distorts the truth on its way to Prometheus, for one key.
type Env struct {
	Lag    int   // seconds by which the upstream's answer is behind
	Every  int   // minutes between polls, 0: 1
	TTL    int64 // seconds after which the exporter withdraws what it last knew
	Frozen []span
	Lives  []life
}

// life is one exporter process: its instance label, when it lives, its phases.
type life struct {
	span
	inst             string
	pollAt, scrapeAt int // seconds of the minute
	gaps             []span

	forecasts []forecast // of each minute, if they are computed

	feeds  []*slot
	polled int64 // time of the last poll, 0: none yet
	okPoll int64
	up     bool
	data   snapshot
	alive  bool
}

type slot struct {
	lset    labels.Labels
	series  *memSeries
	get     func(*scrapeView) (float64, bool)
	present bool
	target  bool // `up`: written even when the scrape fails
}

// snapshot is one answer of the upstream plus what the exporter adds at poll time.
type snapshot struct {
	at                      int64
	total, day, week, month float64
	limit, rem              float64
	nextReset, winStart     int64
	otherRem                float64
}

// scrapeView is what a scrape at `now` can see.
type scrapeView struct {
	k    *Key
	l    *life
	now  int64
	live bool // there is a snapshot inside its TTL

	forecast *forecast // nil: none is computed
}

func (k *Key) read(c *Clock, at int64) snapshot {
	m := int((at - int64(k.Env.Lag) - c.T0) / 60)
	u := c.unix(m)
	since := func(r Reset) float64 {
		a := max(0, int((windowStart(r, u)-c.T0)/60))
		return math.Max(0, k.total[m]-k.total[a])
	}
	otherRem := 0.0
	if o := k.Other; o != nil {
		otherRem = o.limit - since(o.reset)
	}
	return snapshot{otherRem: otherRem, at: at, total: k.total[m], day: since(Daily), week: since(Weekly), month: since(Monthly),
		limit: k.limitAt(m), rem: k.rem[m], nextReset: windowEnd(k.Reset, at), winStart: windowStart(k.Reset, at)}
}

func b2f(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// families are the metrics of a key that the exporter exposes (docs/metrics.md).
func families(k *Key) map[string]func(*scrapeView) (float64, bool) {
	if k.Account {
		return accountFamilies()
	}
	live := func(f func(s *snapshot) float64) func(*scrapeView) (float64, bool) {
		return func(v *scrapeView) (float64, bool) { return f(&v.l.data), v.live }
	}
	limited := func(f func(s *snapshot) float64) func(*scrapeView) (float64, bool) {
		return func(v *scrapeView) (float64, bool) { return f(&v.l.data), v.live && !k.Unlimited }
	}
	// Values of a window that has ended are withdrawn until a newer poll succeeds.
	window := func(r Reset, share float64, f func(s *snapshot) float64) func(*scrapeView) (float64, bool) {
		return func(v *scrapeView) (float64, bool) {
			return share * f(&v.l.data), v.live && windowEnd(r, v.l.data.at) > v.now
		}
	}
	own, byok := 1-k.BYOKShare, k.BYOKShare
	day := func(s *snapshot) float64 { return s.day }
	week := func(s *snapshot) float64 { return s.week }
	month := func(s *snapshot) float64 { return s.month }
	return map[string]func(*scrapeView) (float64, bool){
		"aigateway_key_up":           func(v *scrapeView) (float64, bool) { return b2f(v.l.up), v.l.polled > 0 },
		"aigateway_key_unauthorized": func(v *scrapeView) (float64, bool) { return 0, v.l.polled > 0 },
		"aigateway_key_last_success_timestamp_seconds": func(v *scrapeView) (float64, bool) {
			return float64(v.l.okPoll), v.l.okPoll > 0
		},
		"aigateway_key_info":          live(func(*snapshot) float64 { return 1 }),
		"aigateway_key_free_tier":     live(func(*snapshot) float64 { return 0 }),
		"aigateway_key_unlimited":     live(func(*snapshot) float64 { return b2f(k.Unlimited) }),
		"aigateway_key_byok_in_limit": live(func(*snapshot) float64 { return b2f(k.BYOKIn) }),
		"aigateway_key_limit_credits": limited(func(s *snapshot) float64 { return s.limit }),
		"aigateway_key_limit_remaining_credits": func(v *scrapeView) (float64, bool) {
			return v.l.data.rem, v.live && !k.Unlimited && v.l.data.nextReset > v.now
		},
		"aigateway_key_limit_next_reset_timestamp_seconds": func(v *scrapeView) (float64, bool) {
			return float64(v.l.data.nextReset), v.live && k.Reset != Never && v.l.data.nextReset > v.now
		},
		"aigateway_key_limit_window_start_timestamp_seconds": func(v *scrapeView) (float64, bool) {
			return float64(v.l.data.winStart), v.live && k.Reset != Never && v.l.data.nextReset > v.now
		},
		"aigateway_key_usage_credits":            live(func(s *snapshot) float64 { return s.total * own }),
		"aigateway_key_byok_usage_credits":       live(func(s *snapshot) float64 { return s.total * byok }),
		"aigateway_key_usage_day_credits":        window(Daily, own, day),
		"aigateway_key_usage_week_credits":       window(Weekly, own, week),
		"aigateway_key_usage_month_credits":      window(Monthly, own, month),
		"aigateway_key_byok_usage_day_credits":   window(Daily, byok, day),
		"aigateway_key_byok_usage_week_credits":  window(Weekly, byok, week),
		"aigateway_key_byok_usage_month_credits": window(Monthly, byok, month),
	}
}

const jobName = "aigateway-exporter"

// sink takes scraped samples (milliseconds).
type sink func(s *slot, t int64, v float64)

var staleNaN = math.Float64frombits(value.StaleNaN)

func (l *life) slots(k *Key, needed func(string) bool) {
	add := func(name string, target bool, get func(*scrapeView) (float64, bool), extra ...string) {
		if !needed(name) {
			return
		}
		b := labels.NewBuilder(labels.FromStrings(labels.MetricName, name, "job", jobName, "instance", l.inst))
		if !target {
			b.Set(k.label(), k.Name)
		}
		for i := 0; i+1 < len(extra); i += 2 {
			b.Set(extra[i], extra[i+1])
		}
		l.feeds = append(l.feeds, &slot{lset: b.Labels(), get: get, target: target})
	}
	for name, get := range families(k) {
		add(name, false, get)
	}
	for i, state := range outlooks {
		name := "aigateway_" + k.prefix() + "_outlook"
		add(name, false, func(x *scrapeView) (float64, bool) {
			f := x.forecast
			return b2f(f != nil && f.outlook == i), f != nil && f.outlook >= 0
		}, name, state)
	}
	add("aigateway_"+k.prefix()+"_exhaustion_timestamp_seconds", false, func(x *scrapeView) (float64, bool) {
		if x.forecast == nil {
			return 0, false
		}
		return x.forecast.exhaustion / 1000, x.forecast.exhaustion > 0
	})
	if k.Account {
		add("up", true, nil)
		return
	}
	team := "team-" + k.Name[len(k.Name)-1:]
	add("aigateway_key_exhaustion_urgency", false, func(x *scrapeView) (float64, bool) {
		f := x.forecast
		if f == nil || f.outlook < 0 {
			return 0, false
		}
		return f.urgency(), true
	}, "team", team)
	for _, r := range []Reset{Never, Daily, Weekly, Monthly} {
		v := b2f(r == k.Reset)
		add("aigateway_key_limit_reset", false, func(x *scrapeView) (float64, bool) { return v, x.live }, "aigateway_key_limit_reset", r.String())
	}
	add("aigateway_key_owner_info", false, func(*scrapeView) (float64, bool) { return 1, true }, "team", team)
	add("up", true, nil)
}

// urgency is that of the exporter: 5 exhausted, 4 imminent, 3 predicted, 2 slow, 1 little left and nothing else known, else 0.
func (f *forecast) urgency() float64 {
	switch state := outlooks[f.outlook]; {
	case f.outlook < 4:
		return float64(5 - f.outlook)
	case state == "learning" && f.left > 0 && f.left < 0.1:
		return 1
	}
	return 0
}

// label names the key or account in its metrics and alerts.
func (k *Key) label() string {
	if k.Account {
		return "gateway"
	}
	return "key"
}

// prefix is what the metrics and alerts on a key or an account have in common.
func (k *Key) prefix() string {
	if k.Account {
		return "account"
	}
	return "key"
}

// poll asks the gateway if a poll is due: the newest one at or before the scrape.
func (l *life) poll(c *Clock, k *Key, m int, scrapedAt int64) {
	at := c.unix(m) + int64(l.pollAt)
	if at > scrapedAt {
		at -= 60
	}
	due := (at-c.T0)/60%int64(max(1, k.Env.Every)) == 0
	if !due || at < c.unix(l.from) || at <= l.polled {
		return
	}
	l.polled, l.up = at, true
	for _, f := range k.Env.Frozen {
		if f.has(int((at - c.T0) / 60)) {
			l.up = false
		}
	}
	if l.up {
		l.okPoll, l.data = at, k.read(c, at)
	}
}

// scrape plays minute m for one exporter process.
func (l *life) scrape(c *Clock, k *Key, m int, needed func(string) bool, put sink) {
	now := c.unix(m) + int64(l.scrapeAt)
	ms := now * 1000
	stale := func(target bool) {
		for _, s := range l.feeds {
			if s.present && (target || !s.target) {
				put(s, ms, staleNaN)
				s.present = false
			}
		}
	}
	if !l.has(m) {
		if l.alive { // gone from service discovery
			stale(true)
			l.alive, l.feeds = false, nil
		}
		return
	}
	if !l.alive {
		l.alive = true
		l.slots(k, needed)
	}
	l.poll(c, k, m, now)
	gap := false
	for _, g := range l.gaps {
		gap = gap || g.has(m)
	}
	if gap {
		stale(false)
	}
	v := scrapeView{k: k, l: l, now: now, forecast: l.forecastAt(m), live: l.okPoll > 0 && now-l.okPoll <= k.Env.TTL}
	for _, s := range l.feeds {
		switch {
		case s.target:
			put(s, ms, b2f(!gap))
			s.present = true
		case gap:
		default:
			x, ok := s.get(&v)
			if ok {
				put(s, ms, x)
			} else if s.present {
				put(s, ms, staleNaN)
			}
			s.present = ok
		}
	}
}
