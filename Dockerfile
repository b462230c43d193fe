# The pinned Node of package.json is for development; the image brings its own, which runs TypeScript as it is.
# The dependencies are the same on every platform, so they are installed on that of the builder, without emulation.
FROM --platform=$BUILDPLATFORM node:24-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund

# Node and the libraries that it needs: no shell, no package manager, no tool that an intruder could use.
FROM gcr.io/distroless/nodejs24-debian12:nonroot
ARG REVISION=unknown
ENV NODE_ENV=production AIGATEWAY_EXPORTER_REVISION=$REVISION
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
COPY package.json ./
COPY exporter ./exporter
# A number, so that Kubernetes can check runAsNonRoot. Nothing is written: the root file system may be read-only.
USER 65532:65532
EXPOSE 9853
# No HEALTHCHECK: the port and TLS are configurable, orchestrators have their own probes (/-/healthy, /-/ready).
ENTRYPOINT ["/nodejs/bin/node", "/app/exporter/main.ts"]
