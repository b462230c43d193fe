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
