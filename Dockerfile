# The pinned Node of package.json is for development; the image brings its own.
# Dependencies and JavaScript are the same on every platform, so they are made on that of the builder, without emulation.
FROM --platform=$BUILDPLATFORM node:24-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund

# Node would strip the types at each start. Lines and columns stay (docs/decisions: TypeScript without a build).
FROM --platform=$BUILDPLATFORM node:24-slim AS javascript
WORKDIR /app
COPY package.json ./
COPY scripts/strip-types.ts ./scripts/
COPY exporter ./exporter
RUN node --disable-warning=ExperimentalWarning scripts/strip-types.ts exporter stripped

# Node and the libraries that it needs: no shell, no package manager, no tool that an intruder could use.
FROM gcr.io/distroless/nodejs24-debian12:nonroot
ARG REVISION=unknown
ENV NODE_ENV=production AIGATEWAY_EXPORTER_REVISION=$REVISION
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
COPY --from=javascript /app/stripped ./exporter
COPY package.json ./
# A number, so that Kubernetes can check runAsNonRoot. Nothing is written: the root file system may be read-only.
USER 65532:65532
EXPOSE 9853
# No HEALTHCHECK: the port and TLS are configurable, orchestrators have their own probes (/-/healthy, /-/ready).
# The option keeps V8 from taking short-lived objects of polls for long-lived ones (docs/performance.md, "Polling").
ENTRYPOINT ["/nodejs/bin/node", "--no-allocation-site-pretenuring", "/app/exporter/main.js"]
