# The reference version of Node (.node-version). A tag can be moved to another image, but a digest cannot. The digest
# belongs to the index of all platforms.
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
COPY portal portal
COPY projections projections
COPY shared shared
COPY stack stack
RUN npm run build
RUN npm prune --omit=dev --ignore-scripts
RUN find dist -name '*.map' -delete && rm dist/.tsbuildinfo dist/.built.json

FROM base
# The first process of a container gets signals only if it handles them, and must reap child processes. The program tini
# does both.
RUN apt-get update && apt-get install --yes --no-install-recommends tini && rm -rf /var/lib/apt/lists/*
ENV NODE_ENV=production
# The memory settings of the roles, which cli/start/roleMemory.ts explains.
ENV MALLOC_MMAP_THRESHOLD_=131072 MALLOC_TRIM_THRESHOLD_=131072 NODE_OPTIONS=--max-semi-space-size=32
WORKDIR /app
COPY LICENSE package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY --from=build /app/dashboard/dist dashboard/dist
COPY --from=build /app/portal/dist portal/dist
# The user is a number, because Kubernetes cannot check that a named user is not root. The number 1000 is the user
# "node" of the base image.
USER 1000:1000
EXPOSE 3000
# The health check shows whether the role's process works. An unavailable server must not restart the container, so
# /readyz is only for load balancers.
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s CMD ["node", "--eval", "fetch(`http://127.0.0.1:${process.env.PORT || 3000}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["/usr/bin/tini", "--", "node", "/app/dist/cli/main.js"]
CMD ["--help"]
