package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/tsdb"
)

const (
	historyDays = 8
	usualDays   = 4  // the age of what was usual before a restart, which the rules read
	scrapedMins = 70 // the longest look-back at scraped series is an hour
)

// evenKey spends evenly: four fifths of its daily limit, or so much that it runs out before the reset.
type evenKey struct {
	name        string
	rate, limit float64
}

// evenKeys returns n keys. One of 20 runs out two hours after the end of the history, or half-way to a nearer reset.
func evenKeys(n int, end int64) []*evenKey {
	soon, keys := end%daySec+min(2*3600, (daySec-end%daySec)/2), make([]*evenKey, n)
	for i := range keys {
		limit := 10 + float64(i%97)
		share := 0.8
		if i%20 == 0 {
			share = daySec / float64(soon)
		}
		keys[i] = &evenKey{fmt.Sprintf("key-%05d", i), share * limit / daySec, limit}
	}
	return keys
}

func (k *evenKey) left(t int64) float64 { return max(0, k.limit-k.rate*float64(t%daySec)) }

func (k *evenKey) runsOut() bool { return k.rate*daySec > k.limit }

// scraped is a series that an exporter exposes.
type scraped struct {
	labels labels.Labels
	value  func(t int64) float64
	ref    storage.SeriesRef
}

type exposition []*scraped

func (e *exposition) add(name string, value func(t int64) float64, extra ...string) {
	pairs := append([]string{labels.MetricName, name, "job", jobName, "instance", "exporter:9853"}, extra...)
	*e = append(*e, &scraped{labels: labels.FromStrings(pairs...), value: value})
}

// usual is what the keys usually spend.
func usual(keys []*evenKey) (e exposition) {
	for _, window := range []string{"1h", "1d"} {
		for _, k := range keys {
			e.add("aigateway_key_usual_burn_credits_per_hour", func(int64) float64 { return k.rate * 3600 }, "key", k.name, "window", window)
		}
	}
	return e
}

// exposed is what the exporter exposes of the keys: one family after the other. That order decides how near to each other Prometheus
// keeps the series that a rule reads together.
func exposed(keys []*evenKey) (e exposition) {
	family := func(name string, value func(*evenKey, int64) float64, extra ...string) {
		for _, k := range keys {
			e.add("aigateway_key_"+name, func(t int64) float64 { return value(k, t) }, append([]string{"key", k.name}, extra...)...)
		}
	}
	always := func(v float64) func(*evenKey, int64) float64 { return func(*evenKey, int64) float64 { return v } }
	family("up", always(1))
	family("unauthorized", always(0))
	family("unlimited", always(0))
	family("info", always(1))
	family("owner_info", always(1), "team", "payments")
	family("byok_in_limit", always(0))
	family("last_success_timestamp_seconds", func(_ *evenKey, t int64) float64 { return float64(t - 20) })
	family("limit_credits", func(k *evenKey, _ int64) float64 { return k.limit })
	family("limit_remaining_credits", (*evenKey).left)
	family("limit_next_reset_timestamp_seconds", func(_ *evenKey, t int64) float64 { return float64(windowEnd(Daily, t)) })
	for _, state := range []string{"never", "daily", "weekly", "monthly", "other"} {
		family("limit_reset", always(b2f(state == "daily")), "aigateway_key_limit_reset", state)
	}
	for _, state := range outlooks {
		// Those that run out are predicted to, the others last.
		family("outlook", func(k *evenKey, _ int64) float64 {
			return b2f(state == "predicted" && k.runsOut() || state == "lasts" && !k.runsOut())
		}, "aigateway_key_outlook", state)
	}
	for _, k := range keys {
		if k.runsOut() {
			e.add("aigateway_key_exhaustion_timestamp_seconds", func(t int64) float64 { return float64(t) + k.left(t)/k.rate }, "key", k.name)
		}
	}
	family("exhaustion_urgency", func(k *evenKey, _ int64) float64 { return 3 * b2f(k.runsOut()) }, "team", "payments")
	// Two budgets bind each key: its own limit, which decides, and a guardrail with twice as much.
	family("outlook_source_info", always(1), "source", "key_limit")
	family("spendable_credits", (*evenKey).left, "bounded_by", "key_limit")
	for source, times := range map[string]float64{"key_limit": 1, "api_key": 2} {
		family("layer_limit_credits", func(k *evenKey, _ int64) float64 { return times * k.limit }, "source", source)
		family("layer_remaining_credits", func(k *evenKey, t int64) float64 { return (times-1)*k.limit + k.left(t) }, "source", source)
		family("layer_next_reset_timestamp_seconds", func(_ *evenKey, t int64) float64 { return float64(windowEnd(Daily, t)) }, "source", source)
		for _, state := range outlooks {
			family("layer_outlook", func(k *evenKey, _ int64) float64 {
				runsOut := k.runsOut() && source == "key_limit"
				return b2f(state == "predicted" && runsOut || state == "lasts" && !runsOut)
			}, "source", source, "aigateway_key_layer_outlook", state)
		}
	}
	for _, window := range []string{"1h", "1d"} {
		family("burn_credits_per_hour", func(k *evenKey, _ int64) float64 { return k.rate * 3600 }, "window", window)
	}
	for _, collector := range []string{"key", "analytics"} {
		e.add("aigateway_exporter_poll_interval_seconds", func(int64) float64 { return 60 }, "collector", collector)
	}
	e.add("aigateway_exporter_build_info", func(int64) float64 { return 1 })
	for name, since := range map[string]func(t int64) int64{
		"usage_credits":       func(int64) int64 { return 0 },
		"usage_day_credits":   func(t int64) int64 { return windowStart(Daily, t) },
		"usage_week_credits":  func(t int64) int64 { return windowStart(Weekly, t) },
		"usage_month_credits": func(t int64) int64 { return windowStart(Monthly, t) },
	} {
		family(name, func(k *evenKey, t int64) float64 { return k.rate * float64(t-since(t)) })
		family("byok_"+name, always(0))
	}
	return e
}

// writeHistory writes eight days of history of n keys until now into the data folder of a Prometheus that does not run yet, in the order
// of time, as a running one does.
func writeHistory(folder string, n int) error {
	end := time.Now().Unix()
	keys := evenKeys(n, end)
	o := tsdb.DefaultOptions()
	o.RetentionDuration = (historyDays + 1) * daySec * 1000
	// The largest block of a Prometheus with its default retention. Otherwise it would compact while it is measured.
	o.MaxBlockDuration = 36 * 3600 * 1000
	db, err := tsdb.Open(folder, nil, nil, o, nil)
	if err != nil {
		return err
	}
	before, recent := usual(keys), append(exposed(keys), usual(keys)...)
	scrape := func(e exposition, t int64) (err error) {
		app := db.Appender(context.Background())
		for _, s := range e {
			if s.ref, err = app.Append(s.ref, s.labels, t*1000, s.value(t)); err != nil {
				return err
			}
		}
		return app.Commit()
	}
	for t := (end - historyDays*daySec) / 60 * 60; t < end && err == nil; t += 60 {
		switch age := end - t; {
		case age <= scrapedMins*60:
			err = scrape(recent, t)
		case age > usualDays*daySec-3600 && age <= usualDays*daySec+3600:
			err = scrape(before, t)
		}
	}
	return errors.Join(err, db.Compact(context.Background()), db.Close())
}
