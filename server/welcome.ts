import type { Config } from './config.ts';
import type { OwnPostgres } from './own-postgres.ts';

/** What start-up prints for people: where everything is, and how to make the first calls. */
export function welcome({
  url,
  config,
  postgres,
}: {
  url: string;
  config: Config;
  postgres: OwnPostgres | undefined;
}): string {
  const base = config.publicBaseUrl ?? url.replace(/\/\/(127\.0\.0\.1|0\.0\.0\.0|\[::1?\])/, '//localhost');
  const socket = base.replace(/^http/, 'ws');
  const database =
    postgres === undefined
      ? 'the server of DATABASE_URL'
      : `embedded PostgreSQL on port ${postgres.port}, data in ${postgres.dataDir}`;
  const firstCalls = `
  First calls: npm run first-calls${base === 'http://localhost:4000' ? '' : ` -- ${base}`}
    signs in with a fresh wallet, creates an organization and a project,
    subscribes to its room and sends a message that arrives there.
`;
  return `
  svc gateway serves at ${base}

    Console        ${base}/console
    GraphQL        ${base}/graphql${config.production ? '' : '   (GraphiQL in a browser)'}
    Subscriptions  ${socket}/graphql   (graphql-transport-ws)
    REST           ${base}/projects/v1 and the other documented paths
    Health         ${base}/api/health, ${base}/status, ${base}/readyz, ${base}/metrics
    Database       ${database}
    Leases         ${config.leases ? 'on: an organization needs a tier whose lease runs' : 'off: organizations do not expire'}
${config.production ? '' : firstCalls}
`;
}
