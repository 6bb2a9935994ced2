# The reference version of Node (.node-version). A tag can be moved to another image, a digest cannot; this one is of the index of all platforms.
FROM node:24.21.0-bookworm-slim@sha256:d6aa754f16b3197301076f047b5def2f02ea1dbbc2ca920407d46d7ec7f87b20 AS base

FROM base AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY build.js tsconfig.json tsconfig.build.json vite.config.js ./
COPY api api
COPY cli cli
COPY consumers consumers
COPY dashboard dashboard
COPY projections projections
COPY shared shared
COPY stack stack
RUN npm run build
# Optional packages fetch servers for `postrider start`, which an image has no use for.
RUN npm prune --omit=dev --omit=optional --ignore-scripts
RUN find dist -name '*.map' -delete && rm dist/.tsbuildinfo dist/.built.json

FROM base
# The first process of a container gets signals only if it handles them, and has to reap processes: tini does both.
RUN apt-get update && apt-get install --yes --no-install-recommends tini && rm -rf /var/lib/apt/lists/*
ENV NODE_ENV=production
# How roles take memory: see cli/start/roleMemory.ts.
ENV MALLOC_MMAP_THRESHOLD_=131072 MALLOC_TRIM_THRESHOLD_=131072 NODE_OPTIONS=--max-semi-space-size=64
WORKDIR /app
COPY LICENSE package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY --from=build /app/dashboard/dist dashboard/dist
# As a number: Kubernetes cannot tell from a name that a user is not root. It is the user "node" of the base image.
USER 1000:1000
EXPOSE 3000
# Whether a role lives. Orchestrators that restart a container for it must not do so because a server is unavailable: /readyz is for load balancers.
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s CMD ["node", "--eval", "fetch(`http://127.0.0.1:${process.env.PORT || 3000}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["/usr/bin/tini", "--", "node", "--heap-growing-percent=200", "/app/dist/cli/main.js"]
CMD ["--help"]
