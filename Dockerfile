FROM node:20-bookworm-slim AS build
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
RUN npm run build && npm prune --omit=dev --ignore-scripts

FROM node:20-bookworm-slim
ENV NODE_ENV=production
# How roles take memory: see cli/start/roleMemory.ts.
ENV MALLOC_MMAP_THRESHOLD_=131072 MALLOC_TRIM_THRESHOLD_=131072 NODE_OPTIONS=--max-semi-space-size=64
WORKDIR /app
COPY LICENSE package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY --from=build /app/dashboard/dist dashboard/dist
USER node
EXPOSE 3000
ENTRYPOINT ["node", "--heap-growing-percent=200", "/app/dist/cli/main.js"]
CMD ["--help"]
