package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/prometheus/model/labels"
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

// writeHistory appends the history of the keys until `end` in the order of time, as a running Prometheus does, and returns the number of samples.
func writeHistory(db *tsdb.DB, keys []*evenKey, end int64) (written int, err error) {
	app := db.Appender(context.Background())
	put := func(l labels.Labels, t int64, v float64) {
		if err != nil {
			return
		}
		if _, err = app.Append(0, l, t*1000, v); err != nil {
			return
		}
		if written++; written%500_000 == 0 {
			err = app.Commit()
			app = db.Appender(context.Background())
		}
	}
	for t := (end - historyDays*daySec) / 60 * 60; t < end; t += 60 {
		if usual := t - (end - usualDays*daySec); usual >= -3600 && usual < 3600 {
			scrapeUsual(keys, t, put)
		}
		if t >= end-scrapedMins*60 {
			scrapeAll(keys, t, put)
		}
	}
	if err != nil {
		return written, err
	}
	return written, app.Commit()
}

// scrapeAll appends the metrics of every key as the exporter exposes them: one family after the other. That order decides how near to
// each other Prometheus keeps the series that a rule reads together.
func scrapeAll(keys []*evenKey, t int64, put func(labels.Labels, int64, float64)) {
	sample := func(k *evenKey, name string, v float64, extra ...string) {
		put(labels.FromStrings(append([]string{labels.MetricName, name, "job", jobName, "instance", "exporter:9853", "key", k.name}, extra...)...), t, v)
	}
	family := func(name string, value func(*evenKey) float64, extra ...string) {
		for _, k := range keys {
			sample(k, name, value(k), extra...)
		}
	}
	always := func(v float64) func(*evenKey) float64 { return func(*evenKey) float64 { return v } }
	family("aigateway_key_up", always(1))
	family("aigateway_key_unauthorized", always(0))
	family("aigateway_key_unlimited", always(0))
	family("aigateway_key_info", always(1))
	family("aigateway_key_owner_info", always(1), "team", "payments")
	family("aigateway_key_byok_in_limit", always(0))
	family("aigateway_key_last_success_timestamp_seconds", always(float64(t-20)))
	family("aigateway_key_limit_credits", func(k *evenKey) float64 { return k.limit })
	family("aigateway_key_limit_remaining_credits", func(k *evenKey) float64 { return k.left(t) })
	family("aigateway_key_limit_next_reset_timestamp_seconds", always(float64(windowEnd(Daily, t))))
	for _, k := range keys {
		for _, state := range []string{"never", "daily", "weekly", "monthly", "other"} {
			sample(k, "aigateway_key_limit_reset", b2f(state == "daily"), "aigateway_key_limit_reset", state)
		}
	}
	// Those that run out are predicted to, the others last.
	outlook := func(k *evenKey) string {
		if k.rate*daySec > k.limit {
			return "predicted"
		}
		return "lasts"
	}
	for _, state := range []string{"exhausted", "imminent", "predicted", "slow", "lasts", "unlimited", "learning", "unknown"} {
		for _, k := range keys {
			sample(k, "aigateway_key_outlook", b2f(outlook(k) == state), "aigateway_key_outlook", state)
		}
	}
	for _, k := range keys {
		if outlook(k) == "predicted" {
			sample(k, "aigateway_key_exhaustion_timestamp_seconds", float64(t)+k.left(t)/k.rate)
		}
	}
	family("aigateway_key_outlook_shared", always(0))
	for _, window := range []string{"1h", "1d"} {
		family("aigateway_key_burn_credits_per_hour", func(k *evenKey) float64 { return k.rate * 3600 }, "window", window)
	}
	scrapeUsual(keys, t, put)
	for _, collector := range []string{"key", "analytics"} {
		put(labels.FromStrings(labels.MetricName, "aigateway_exporter_poll_interval_seconds", "job", jobName, "instance", "exporter:9853", "collector", collector), t, 60)
	}
	put(labels.FromStrings(labels.MetricName, "aigateway_exporter_build_info", "job", jobName, "instance", "exporter:9853"), t, 1)
	for _, kind := range []string{"", "byok_"} {
		used := func(seconds int64) func(*evenKey) float64 {
			return func(k *evenKey) float64 { return b2f(kind == "") * k.rate * float64(seconds) }
		}
		family("aigateway_key_"+kind+"usage_credits", used(t))
		family("aigateway_key_"+kind+"usage_day_credits", used(t%daySec))
		family("aigateway_key_"+kind+"usage_week_credits", used(t-windowStart(Weekly, t)))
		family("aigateway_key_"+kind+"usage_month_credits", used(t-windowStart(Monthly, t)))
	}
}

// scrapeUsual appends what the keys usually spend.
func scrapeUsual(keys []*evenKey, t int64, put func(labels.Labels, int64, float64)) {
	for _, window := range []string{"1h", "1d"} {
		for _, k := range keys {
			put(labels.FromStrings(labels.MetricName, "aigateway_key_usual_burn_credits_per_hour", "job", jobName, "instance", "exporter:9853", "key", k.name, "window", window), t, k.rate*3600)
		}
	}
}

// serveKeys writes eight days of history until now into the data folder of a Prometheus that does not run yet. Then it serves what an
// exporter with the same n keys exposes, on a free port of 127.0.0.1 that it prints.
func serveKeys(w io.Writer, folder string, n int) error {
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
	if _, err := writeHistory(db, keys, end); err != nil {
		return err
	}
	if err := errors.Join(db.Compact(context.Background()), db.Close()); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%d keys on http://%s\n", n, listener.Addr())
	return http.Serve(listener, http.HandlerFunc(func(response http.ResponseWriter, _ *http.Request) {
		response.Header().Set("Content-Type", "text/plain; version=0.0.4")
		out := bufio.NewWriterSize(response, 1<<16)
		defer out.Flush()
		scrapeAll(keys, time.Now().Unix(), func(l labels.Labels, _ int64, v float64) {
			fmt.Fprintf(out, "%s%s %v\n", l.Get(labels.MetricName), l.DropMetricName(), v)
		})
	}))
}
