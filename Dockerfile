# The pinned Node of package.json is for development; the image brings its own, which runs TypeScript as it is.
FROM node:24-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund

FROM node:24-slim
ENV NODE_ENV=production
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
COPY package.json ./
COPY exporter ./exporter
# A number, so that Kubernetes can check runAsNonRoot. Nothing is written: the root file system may be read-only.
USER 65532:65532
EXPOSE 9853
# No HEALTHCHECK: the port and TLS are configurable, orchestrators have their own probes (/-/healthy, /-/ready).
ENTRYPOINT ["node", "/app/exporter/main.ts"]
