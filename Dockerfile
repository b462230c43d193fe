# The Node pinned in package.json is for development; the image has its own.
# Dependencies and JavaScript are the same on every platform, so they are built on the builder's platform,
# without emulation.
FROM --platform=$BUILDPLATFORM node:24-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund
# Types, source maps, tests and documents are half of the packages; licences stay.
RUN find node_modules -type f \( -name '*.ts' -o -name '*.[cm]ts' -o -name '*.map' -o -name '*.md' -not -iname 'licen[cs]e*' -o -path '*/test/*' -o -path '*/docs/*' -o -path '*/examples/*' \) -delete && find node_modules -type d -empty -delete

# Strips the types once, because Node would do so at each start. Lines and columns stay (docs/decisions:
# TypeScript without a build).
FROM --platform=$BUILDPLATFORM node:24-slim AS javascript
WORKDIR /app
COPY package.json ./
COPY scripts/strip-types.ts ./scripts/
COPY exporter ./source/exporter
COPY dashboards/colors.ts dashboards/promql.ts dashboards/thresholds.ts dashboards/uids.ts ./source/dashboards/
COPY dashboards/expressions ./source/dashboards/expressions
COPY dashboards/rules ./source/dashboards/rules
COPY dashboards/generated ./source/dashboards/generated
# A private umask at the clone must not make files that the image's user cannot read.
RUN node --disable-warning=ExperimentalWarning scripts/strip-types.ts source stripped && chmod -R u=rwX,go=rX stripped

# Node and the libraries that it needs: no shell, no package manager, no tools for an intruder.
FROM gcr.io/distroless/nodejs24-debian13:nonroot
ARG REVISION=unknown
ARG VERSION=unknown
LABEL org.opencontainers.image.title="aigateway-exporter" org.opencontainers.image.description="Prometheus exporter for AI gateways" org.opencontainers.image.licenses="Apache-2.0" org.opencontainers.image.version=$VERSION org.opencontainers.image.revision=$REVISION
# By default each thread allocates from memory of its own, and V8 keeps 32 MB for short-lived objects. A few
# keys need neither, and with thousands of keys a larger young generation saves processor time
# (docs/performance.md, "Start and memory").
ENV NODE_ENV=production NODE_OPTIONS=--max-semi-space-size=2 MALLOC_ARENA_MAX=1 AIGATEWAY_EXPORTER_REVISION=$REVISION
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
COPY --from=javascript /app/stripped ./
COPY --chmod=644 package.json LICENSE ./
# Numeric, so that Kubernetes can check runAsNonRoot. The exporter writes no files, so the root file system
# may be read-only.
USER 65532:65532
EXPOSE 9853
# Without the first option, V8 allocates the short-lived objects of polls in the old generation
# (docs/performance.md, "Polling").
# Without the second one, a signal that arrives while Node starts opens the debugger. The others allow the
# process to read files and to start threads (for passwords), but not to write files, start programs or open
# the debugger.
ENTRYPOINT ["/nodejs/bin/node", "--no-allocation-site-pretenuring", "--disable-sigusr1", "--permission", "--allow-fs-read=*", "--allow-worker", "--disable-warning=SecurityWarning", "/app/exporter/main.js"]
# For Docker; it asks the usual port. Kubernetes has probes of its own (/-/healthy, /-/ready).
HEALTHCHECK --start-period=30s CMD ["/nodejs/bin/node", "--permission", "--allow-fs-read=*", "--disable-warning=SecurityWarning", "/app/exporter/main.js", "healthcheck"]
