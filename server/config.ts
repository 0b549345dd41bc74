import type { SignerKeys } from '../engines/licences/signer.ts';
import type { TrustedProxies } from './client-address.ts';
import { type PaymentsConfig, paymentFaults, paymentsOf } from './config-payments.ts';
import type { OidcProvider } from './config-values.ts';
import { type Environment, environment, environmentVariables, type LogLevel } from './config-variables.ts';

/** Everything the environment decides, checked. Read once, at start; nothing else reads the environment. */
export interface Config {
  readonly production: boolean;
  /** 0 lets the system pick one. */
  readonly port: number;
  readonly host: string;
  /** The control database; undefined: the gateway runs a Postgres of its own in `dataDir`. */
  readonly databaseUrl: string | undefined;
  /** Servers of project databases by name; undefined: one, named `main`, which is the server of the control database. */
  readonly projectDatabaseUrls: Readonly<Record<string, string>> | undefined;
  readonly dataDir: string;
  /** Without a trailing slash; undefined: as each request names it. */
  readonly publicBaseUrl: string | undefined;
  readonly platformDomain: string;
  /** Set when several nodes serve one control database. */
  readonly natsUrl: string | undefined;
  readonly smtpUrl: string | undefined;
  readonly mailFrom: string;
  /** 32 bytes; undefined in development, where the data folder keeps one. */
  readonly secretKey: Buffer | undefined;
  readonly previousSecretKey: Buffer | undefined;
  readonly adminKey: string | undefined;
  /** Who project users may sign in with, Google first if it is one of them. */
  readonly oidcProviders: readonly OidcProvider[];
  /** Undefined: a wallet whose key is derived from the root secret. */
  readonly settlementAddress: string | undefined;
  readonly payments: PaymentsConfig;
  /** Origins of pages that may speak MCP; undefined: any. */
  readonly mcpOrigins: readonly string[] | undefined;
  /** Undefined: jobs of marketplaces of agents come unsigned. */
  readonly nearAgentsSecret: string | undefined;
  /** Keys of licences and orders; undefined: derived from the root secret, and in production none. */
  readonly licenceKeys: SignerKeys | undefined;
  /** Who sells the gateway's source, as its transfer names them. */
  readonly sellerName: string | undefined;
  readonly governingLaw: string | undefined;
  /** What is audited when nothing is named. */
  readonly auditDefaultUrl: string;
  /** Where leases of tiers are paid for. */
  readonly tierNetwork: 'base' | 'base-sepolia';
  /** Undefined: none, so the peer is the client. */
  readonly trustedProxies: TrustedProxies | undefined;
  /** Sockets and requests under way that one address may have at once. */
  readonly connectionsPerAddress: number;
  /** How long `/readyz` says 503 before the port closes, in seconds. */
  readonly drainSeconds: number;
  readonly logLevel: LogLevel;
  readonly otlpEndpoint: string | undefined;
}

/** The environment cannot be used. The message names every variable at fault, one sentence each, and no values. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  /** One sentence per fault, each beginning with the name of its variable. */
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(`The configuration cannot be used. ${faults.join(' ')}`);
    this.faults = faults;
  }
}

<<<<<<< HEAD
=======
const oauthCredential = (value: string) => (/^[\x21-\x7e]{1,512}$/.test(value) ? value : undefined);

/** A text on one line. */
const line = (value: string) => (/^[^\p{Cc}]{1,200}$/u.test(value) ? value : undefined);

const targetOf = (value: string): string | undefined => {
  try {
    return parseTarget(value).href;
  } catch {
    return undefined;
  }
};

const environment = z.object({
  NODE_ENV: parsed('development, test or production', (value) =>
    value === 'development' || value === 'test' || value === 'production' ? value : undefined,
  ),
  PORT: parsed('a whole number from 0 to 65535', (value) =>
    /^\d{1,5}$/.test(value) && Number(value) <= 65_535 ? Number(value) : undefined,
  ),
  HOST: parsed('a host name or an address', (value) => (/^[A-Za-z0-9._:%-]+$/.test(value) ? value : undefined)),
  DATABASE_URL: parsed('a URL that begins with postgres://', postgresUrl),
  PROJECT_DATABASE_URLS: parsed(
    'a comma-separated list of name=postgres://… in which each name (a small letter, then small letters, digits, - or _) occurs once',
    projectServers,
  ),
  SVC_DATA_DIR: parsed('a path', (value) => (value.includes('\0') ? undefined : value)),
  PUBLIC_BASE_URL: parsed('a URL that begins with http:// or https://, without a query or credentials', webUrl),
  PLATFORM_DOMAIN: parsed('a domain name such as apps.example.com', (value) =>
    /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i.test(value)
      ? value.toLowerCase()
      : undefined,
  ),
  NATS_URL: parsed('a URL that begins with nats:// or tls://, or several separated by commas', (value) =>
    value.split(',').every((one) => urlOf(one.trim(), 'nats', 'tls') !== undefined) ? value : undefined,
  ),
  SMTP_URL: parsed('a URL that begins with smtp:// or smtps://', (value) =>
    urlOf(value, 'smtp', 'smtps') === undefined ? undefined : value,
  ),
  MAIL_FROM: parsed('an address such as me@example.com or Name <me@example.com>', (value) =>
    /^[^\s@<>]+@[^\s@<>]+$|^[^<>\r\n]*<[^\s@<>]+@[^\s@<>]+>$/.test(value) ? value : undefined,
  ),
  SVC_SECRET_KEY: secretKey(),
  SVC_SECRET_KEY_PREVIOUS: secretKey(),
  SVC_ADMIN_KEY: parsed(`at least ${adminKeyCharactersMin} characters long, without spaces`, (value) =>
    /^[\x21-\x7e]+$/.test(value) && value.length >= adminKeyCharactersMin ? value : undefined,
  ),
  GOOGLE_CLIENT_ID: parsed('a client id, without spaces', oauthCredential),
  GOOGLE_CLIENT_SECRET: parsed('a client secret, without spaces', oauthCredential),
  OIDC_PROVIDERS: parsed(
    'a JSON list of objects with exactly id (small letters first, each once), issuer (https://…, or http:// on this machine), client_id, client_secret and display_name',
    oidcProviders,
  ),
  SETTLEMENT_ADDRESS: parsed('a wallet address: 0x and 40 hexadecimal digits', (value) =>
    /^0x[0-9a-f]{40}$/i.test(value) ? (value.toLowerCase() as `0x${string}`) : undefined,
  ),
  ...paymentVariables,
  MCP_ALLOWED_ORIGINS: parsed('origins such as https://app.example.com, separated by commas, or *', webOrigins),
  NEAR_AGENTS_SECRET: parsed('at least 16 characters long, without spaces', (value) =>
    /^[\x21-\x7e]{16,512}$/.test(value) ? value : undefined,
  ),
  LICENSE_SIGNING_JWK: parsed(
    'a private Ed25519 key as JWK, or {"keys":[…]} with that one first and the public ones that it replaced behind it',
    readSigningKeys,
  ),
  SELLER_NAME: parsed('a line of at most 200 characters', line),
  GOVERNING_LAW: parsed('a line of at most 200 characters', line),
  AUDIT_DEFAULT_URL: parsed('an https address or a host name', (value) => targetOf(value)),
  TIER_NETWORK: parsed('base or base-sepolia', (value) =>
    value === 'base' || value === 'base-sepolia' ? value : undefined,
  ),
  TRUSTED_PROXIES: parsed('addresses or networks such as 10.0.0.0/8, separated by commas', readTrustedProxies),
  CONNECTIONS_PER_ADDRESS: parsed('a whole number from 1 to 1000000', (value) =>
    /^[1-9]\d{0,6}$/.test(value) && Number(value) <= 1_000_000 ? Number(value) : undefined,
  ),
  DRAIN_SECONDS: parsed('a whole number from 0 to 4', (value) => (/^[0-4]$/.test(value) ? Number(value) : undefined)),
  LOG_LEVEL: parsed(`one of ${logLevels.join(', ')}`, (value) => logLevels.find((level) => level === value)),
  OTEL_EXPORTER_OTLP_ENDPOINT: parsed('a URL that begins with http:// or https://', webUrl),
});

type Environment = z.output<typeof environment>;

/** One variable of the environment, as the documentation shows it. */
export interface EnvironmentVariable {
  readonly name: keyof Environment;
  /** What holds when it is absent, in words. */
  readonly default: string;
  readonly description: string;
  /** Its value gives power to whoever reads it. */
  readonly secret: boolean;
}

type Description = Omit<EnvironmentVariable, 'name'>;

const open = (byDefault: string, description: string): Description => ({
  default: byDefault,
  description,
  secret: false,
});
const secret = (byDefault: string, description: string): Description => ({
  default: byDefault,
  description,
  secret: true,
});

// Keyed by the schema's names: a variable without a description does not compile.
const descriptions: Readonly<Record<keyof Environment, Description>> = {
  NODE_ENV: open(
    '`development`',
    '`production` refuses every default that is unsafe there: it needs `DATABASE_URL`, `SVC_SECRET_KEY`, `PUBLIC_BASE_URL` with https and a `PLATFORM_DOMAIN` of your own.',
  ),
  PORT: open('`4000`', 'TCP port to listen on; `0` lets the system pick one, which is printed.'),
  HOST: open('`127.0.0.1`', 'Address to listen on; `0.0.0.0` for every interface.'),
  DATABASE_URL: secret(
    'the gateway runs its own PostgreSQL in `SVC_DATA_DIR`',
    'PostgreSQL 15 or newer for the control database, as a superuser or an owner who may create roles and databases. A direct connection or a session pooler: a transaction pooler loses session locks.',
  ),
  PROJECT_DATABASE_URLS: secret(
    '`main=` the server of the control database',
    'Servers for project databases, `name=postgres://…` separated by commas. A name is stored with each project and must stay listed.',
  ),
  SVC_DATA_DIR: open(
    '`.svc`',
    'Folder of the embedded PostgreSQL, of objects and, in development, of the root secret.',
  ),
  PUBLIC_BASE_URL: open(
    'the scheme and host of each request',
    'Where clients reach this gateway, `https://…`. Required in production, where a forged Host header must not end up in a stored URL. Without it wallets sign in only under loopback names, `HOST` and the address of the connection itself; behind a proxy it must be set.',
  ),
  PLATFORM_DOMAIN: open(
    '`localhost`',
    'Domain under which project hosts live, as `p-<public_id>.PLATFORM_DOMAIN`; a wildcard record has to lead there. A name below it that no project has is nobody’s.',
  ),
  NATS_URL: secret(
    'one node',
    'Carries wake-up signals between nodes that share a control database. Set it on all of them, together with `DATABASE_URL` and one `SVC_SECRET_KEY`.',
  ),
  SMTP_URL: secret(
    'mail stays in the outbox',
    'Server for outgoing mail, `smtp://` or `smtps://`, with user and password.',
  ),
  MAIL_FROM: open('`svc <no-reply@PLATFORM_DOMAIN>`', 'Sender of outgoing mail.'),
  SVC_SECRET_KEY: secret(
    'made at the first start and kept in `SVC_DATA_DIR/secret.key`',
    'Root secret of 32 bytes, 64 hexadecimal digits or base64. Project keys, cursors and database passwords are derived from it: lose it and they are lost. Required in production.',
  ),
  SVC_SECRET_KEY_PREVIOUS: secret(
    'none',
    'The root secret before the current one. What it made stays valid while it is set; start once with both to rotate.',
  ),
  SVC_ADMIN_KEY: secret(
    'nobody is platform admin',
    `Key of the platform admin, at least ${adminKeyCharactersMin} characters, sent in the \`X-Admin-Key\` header. In production \`/metrics\` asks for it, too.`,
  ),
  GOOGLE_CLIENT_ID: open(
    'no sign-in with Google',
    'Client id of a Google “web application”, with which users of every project, and people themselves, may sign in. Its redirect URIs are `PUBLIC_BASE_URL/auth/v1/oauth/google/callback` and `PUBLIC_BASE_URL/agent/v1/control-plane/oauth/google/callback`.',
  ),
  GOOGLE_CLIENT_SECRET: secret('no sign-in with Google', 'Client secret that belongs to `GOOGLE_CLIENT_ID`.'),
  OIDC_PROVIDERS: secret(
    'none but Google',
    'Further OpenID Connect providers, as a JSON list: `[{"id":"acme","issuer":"https://id.acme.example","client_id":"…","client_secret":"…","display_name":"Acme"}]`. The redirect URIs are `PUBLIC_BASE_URL/auth/v1/oauth/<id>/callback` and `PUBLIC_BASE_URL/agent/v1/control-plane/oauth/<id>/callback`. An issuer that is named here may lie in a private network; plain http is for this machine, outside production. An `id` is stored with the users who sign in by it.',
  ),
  SETTLEMENT_ADDRESS: open(
    'a wallet whose key is derived from `SVC_SECRET_KEY`',
    'Wallet that payments to this installation are asked for, `0x…`. Seats in rooms name it in their challenge.',
  ),
  ...paymentDescriptions,
  MCP_ALLOWED_ORIGINS: open(
    '`*`: any',
    'Origins of web pages that may speak to `/api/mcp`, separated by commas; the gateway’s own may always. Its tools are public and it sets no cookies, so any may by default.',
  ),
  NEAR_AGENTS_SECRET: secret(
    'jobs come unsigned',
    'Secret of 16 characters or more with which a marketplace of agents signs the jobs that it sends to `/api/near-agents`: `X-Signature: sha256=<hex of HMAC-SHA-256 over the body>`.',
  ),
  LICENSE_SIGNING_JWK: secret(
    'in development a key derived from `SVC_SECRET_KEY`; in production none, so what is sold with a licence is not sold',
    'Private Ed25519 key, as JWK, that licences and orders of the audit gateway are signed with. To replace it, set `{"keys":[new private key, old public keys…]}`: the old ones stay published at `/.well-known/jwks.json`, so what they signed can still be checked.',
  ),
  SELLER_NAME: open(
    'the operator of `PUBLIC_BASE_URL`',
    'Who sells the source of this gateway, as the transfer that comes with it names them.',
  ),
  GOVERNING_LAW: open('none is chosen', 'The law that the transfer of the source is under, for example `Ireland`.'),
  AUDIT_DEFAULT_URL: open('`https://example.com/`', 'What is audited when a request names nothing.'),
  TIER_NETWORK: open(
    '`base-sepolia`, where money is for trials',
    'Network on which leases of tiers are paid for: `base` sells them for real money.',
  ),
  TRUSTED_PROXIES: open(
    'none: the peer is the client',
    'Proxies in front of the gateway, as addresses or networks (`10.0.0.0/8,::1`) separated by commas. Only their `X-Forwarded-For`, `X-Forwarded-Host` and `X-Forwarded-Proto` are believed, so they must set or drop each; without them all clients behind a proxy share the limits of one address.',
  ),
  CONNECTIONS_PER_ADDRESS: open(
    '`10000`',
    'Sockets, event streams and requests under way that one client address (or IPv6 /64) may have at once.',
  ),
  DRAIN_SECONDS: open(
    '`2` in production, else `0`',
    'Seconds between `SIGTERM` and the closing of the port, in which `/readyz` says 503 and a balancer can look elsewhere.',
  ),
  LOG_LEVEL: open(
    '`info`',
    `Least severe level that is logged: ${logLevels.map((level) => `\`${level}\``).join(', ')}.`,
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: open(
    'no traces',
    'OpenTelemetry collector (OTLP over HTTP) that receives traces at `/v1/traces` below this URL.',
  ),
};

/** Every variable that is read, in the order of the documentation; `docs/configuration.md` is printed from it. */
export const environmentVariables: readonly EnvironmentVariable[] = Object.entries(descriptions).map(
  ([name, description]) => ({ name: name as keyof Environment, ...description }),
);

>>>>>>> w-CEREMONIES
/**
 * Reads the environment: the only place that does. An empty variable counts as absent.
 *
 * @throws ConfigError that lists every fault at once, by name and without values
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const given = Object.fromEntries(
    environmentVariables.map(({ name }) => [name, env[name]?.trim() || undefined] as const),
  );
  const result = environment.safeParse(given);
  const values: Partial<Environment> = result.success ? result.data : {};
  // What is malformed is reported as such, and not as missing too.
  const has = (name: keyof Environment) => given[name] !== undefined;
  const faults = (result.error?.issues ?? []).map((issue) => `${issue.path.join('.')} ${issue.message}.`);

  const production = given.NODE_ENV === 'production';
  if (production) faults.push(...unsafeInProduction(given, has));
  if (has('NATS_URL') && !production) {
    for (const name of ['DATABASE_URL', 'SVC_SECRET_KEY'] as const) {
      if (!has(name))
        faults.push(`${name} must be set when NATS_URL is: nodes share one database and one root secret.`);
    }
  }
  if (has('SVC_SECRET_KEY_PREVIOUS')) {
    if (!has('SVC_SECRET_KEY')) faults.push('SVC_SECRET_KEY must be set when SVC_SECRET_KEY_PREVIOUS is.');
    if (values.SVC_SECRET_KEY !== undefined && values.SVC_SECRET_KEY_PREVIOUS?.equals(values.SVC_SECRET_KEY)) {
      faults.push('SVC_SECRET_KEY_PREVIOUS must be another key than SVC_SECRET_KEY.');
    }
  }
  for (const [name, other] of [googleVariables, googleVariables.toReversed()] as const) {
    if (has(name) && !has(other)) faults.push(`${other} must be set when ${name} is.`);
  }
  if (has('GOOGLE_CLIENT_ID') && values.OIDC_PROVIDERS?.some(({ id }) => id === 'google') === true)
    faults.push('OIDC_PROVIDERS must not list google when GOOGLE_CLIENT_ID is set.');
  if (production && values.OIDC_PROVIDERS?.some(({ issuer }) => /^http:/i.test(issuer)) === true)
    faults.push('OIDC_PROVIDERS must name issuers with https:// when NODE_ENV is production.');
  faults.push(...paymentFaults(values));
  if (
    production &&
    !has('SETTLEMENT_ADDRESS') &&
    environmentVariables.some(({ name }) => isPaidBy.test(name) && has(name))
  ) {
    faults.push(
      'SETTLEMENT_ADDRESS must be set when NODE_ENV is production and payments are taken: nobody holds the key of the derived wallet.',
    );
  }
  if (faults.length > 0) throw new ConfigError(faults);

  const platformDomain = values.PLATFORM_DOMAIN ?? 'localhost';
  return {
    production,
    port: values.PORT ?? 4000,
    host: values.HOST ?? '127.0.0.1',
    databaseUrl: values.DATABASE_URL,
    projectDatabaseUrls: values.PROJECT_DATABASE_URLS,
    dataDir: values.SVC_DATA_DIR ?? '.svc',
    publicBaseUrl: values.PUBLIC_BASE_URL,
    platformDomain,
    natsUrl: values.NATS_URL,
    smtpUrl: values.SMTP_URL,
    mailFrom: values.MAIL_FROM ?? `svc <no-reply@${platformDomain}>`,
    secretKey: values.SVC_SECRET_KEY,
    previousSecretKey: values.SVC_SECRET_KEY_PREVIOUS,
    adminKey: values.SVC_ADMIN_KEY,
    oidcProviders: [...googleOf(values), ...(values.OIDC_PROVIDERS ?? [])],
    settlementAddress: values.SETTLEMENT_ADDRESS,
    payments: paymentsOf(values),
    mcpOrigins: values.MCP_ALLOWED_ORIGINS?.includes('*') ? undefined : values.MCP_ALLOWED_ORIGINS,
    nearAgentsSecret: values.NEAR_AGENTS_SECRET,
    licenceKeys: values.LICENSE_SIGNING_JWK,
    sellerName: values.SELLER_NAME,
    governingLaw: values.GOVERNING_LAW,
    auditDefaultUrl: values.AUDIT_DEFAULT_URL ?? 'https://example.com/',
    tierNetwork: values.TIER_NETWORK ?? 'base-sepolia',
    trustedProxies: values.TRUSTED_PROXIES,
    connectionsPerAddress: values.CONNECTIONS_PER_ADDRESS ?? 10_000,
    drainSeconds: values.DRAIN_SECONDS ?? (production ? 2 : 0),
    logLevel: values.LOG_LEVEL ?? 'info',
    otlpEndpoint: values.OTEL_EXPORTER_OTLP_ENDPOINT,
  };
}

/** What makes an installation take payments, or look at those that were made straight on chain. */
const isPaidBy = /^(X402_SETTLER_KEY|X402_FACILITATOR_URL|RPC_URL_[A-Z_]+)$/;

const googleVariables = ['GOOGLE_CLIENT_ID', 'GOOGLE_CLIENT_SECRET'] as const;

function googleOf({ GOOGLE_CLIENT_ID: clientId, GOOGLE_CLIENT_SECRET: clientSecret }: Partial<Environment>) {
  if (clientId === undefined || clientSecret === undefined) return [];
  return [{ id: 'google', issuer: 'https://accounts.google.com', clientId, clientSecret, displayName: 'Google' }];
}

function unsafeInProduction(
  given: Readonly<Record<string, string | undefined>>,
  has: (name: keyof Environment) => boolean,
): string[] {
  const faults: string[] = [];
  const needed = {
    DATABASE_URL: 'the embedded Postgres is for development',
    SVC_SECRET_KEY: 'a root secret made on the spot is for development',
    PUBLIC_BASE_URL: 'the Host header of a request can be forged',
    PLATFORM_DOMAIN: 'localhost is for development',
  } as const;
  for (const [name, why] of Object.entries(needed)) {
    if (!has(name as keyof Environment)) faults.push(`${name} must be set when NODE_ENV is production: ${why}.`);
  }
  if (/^http:/i.test(given.PUBLIC_BASE_URL ?? '')) {
    faults.push('PUBLIC_BASE_URL must begin with https:// when NODE_ENV is production.');
  }
  if (/(^|\.)localhost$/i.test(given.PLATFORM_DOMAIN ?? '')) {
    faults.push('PLATFORM_DOMAIN must be a domain of yours when NODE_ENV is production: localhost is for development.');
  }
  return faults;
}
