import type { KeptAdminKey } from './admin-key.ts';
import type { Config } from './config.ts';
import type { OwnPostgres } from './own-postgres.ts';

/** How a browser on this machine reaches a server that listens there. */
export const localBaseUrl = (url: string): string =>
  url.replace(/\/\/(127\.0\.0\.1|0\.0\.0\.0|\[::1?\])/, '//localhost');

/** What start-up prints for people: where everything is, and how to make the first calls. */
export function welcome({
  url,
  config,
  postgres,
  madeKey,
}: {
  url: string;
  config: Config;
  postgres: OwnPostgres | undefined;
  /** The admin key that this installation made for itself, in development. */
  madeKey: KeptAdminKey | undefined;
}): string {
  const base = config.publicBaseUrl ?? localBaseUrl(url);
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
  const adminKey = madeKey === undefined ? '' : `    Admin key      ${madeKey.key}   (kept in ${madeKey.path})\n`;
  const functions =
    config.functionsIsolation === 'optional'
      ? '    Functions      run without isolation where this machine offers none (SVC_FUNCTIONS_ISOLATION)\n'
      : '';
  const mail =
    config.smtpUrl === undefined
      ? `    Mail           waits in ${base}/console/installation/outbox, which the admin key opens\n`
      : '';
  return `
  svc gateway serves at ${base}

    Console        ${base}/console
    GraphQL        ${base}/graphql${config.production ? '' : '   (GraphiQL in a browser)'}
    Subscriptions  ${socket}/graphql   (graphql-transport-ws)
    REST           ${base}/projects/v1 and the other documented paths
    Health         ${base}/api/health, ${base}/status, ${base}/readyz, ${base}/metrics
    Database       ${database}
    Leases         ${config.leases ? 'on: an organization needs a tier whose lease runs' : 'off: organizations do not expire'}
${functions}${mail}${adminKey}${config.production ? '' : firstCalls}
`;
}
