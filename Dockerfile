# The Node pinned in package.json is for development; the image has its own.
# Dependencies and JavaScript are the same on every platform, so they are built on the builder's platform, without emulation.
FROM --platform=$BUILDPLATFORM node:24-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund

# Strips the types once, because Node would do so at each start. Lines and columns stay (docs/decisions: TypeScript without a build).
FROM --platform=$BUILDPLATFORM node:24-slim AS javascript
WORKDIR /app
COPY package.json ./
COPY scripts/strip-types.ts ./scripts/
COPY exporter ./exporter
RUN node --disable-warning=ExperimentalWarning scripts/strip-types.ts exporter stripped

# Node and the libraries that it needs: no shell, no package manager, no tools for an intruder.
FROM gcr.io/distroless/nodejs24-debian12:nonroot
ARG REVISION=unknown
# By default each thread allocates from memory of its own, which under attack costs about another 10 MB.
ENV NODE_ENV=production MALLOC_ARENA_MAX=2 AIGATEWAY_EXPORTER_REVISION=$REVISION
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
COPY --from=javascript /app/stripped ./exporter
COPY package.json ./
# Numeric, so that Kubernetes can check runAsNonRoot. The exporter writes no files, so the root file system may be read-only.
USER 65532:65532
EXPOSE 9853
# No HEALTHCHECK: the port and TLS are configurable, orchestrators have their own probes (/-/healthy, /-/ready).
# Without the first option, V8 allocates the short-lived objects of polls in the old generation (docs/performance.md, "Polling").
# Without the second one, a signal that arrives while Node starts opens the debugger. The others allow the process to read
# files and to start threads (for passwords), but not to write files, start programs or open the debugger.
ENTRYPOINT ["/nodejs/bin/node", "--no-allocation-site-pretenuring", "--disable-sigusr1", "--permission", "--allow-fs-read=*", "--allow-worker", "--disable-warning=SecurityWarning", "/app/exporter/main.js"]
