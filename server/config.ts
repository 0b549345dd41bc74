import { resolve } from 'node:path';
import type { AiSettings } from '../engines/ai/ai-engine.ts';
import type { RegistrySettings } from '../engines/functions/packages/registry.ts';
import type { SignerKeys } from '../engines/licences/signer.ts';
import type { S3Settings } from '../engines/objects/s3-settings.ts';
import type { TrustedProxies } from './client-address.ts';
import { aiFaults, aiOf } from './config-ai.ts';
import { type BillingConfig, billingFaults, billingOf } from './config-billing.ts';
import { type PaymentsConfig, paymentFaults, paymentsOf } from './config-payments.ts';
import { storageFaults, storageOf } from './config-storage.ts';
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
  /** What connections to databases depend on beside their address, such as `PGSSLROOTCERT`: for programs that it starts. */
  readonly connectionEnvironment: Readonly<Record<string, string>>;
  /** Servers of project databases by name; undefined: one, named `main`, which is the server of the control database. */
  readonly projectDatabaseUrls: Readonly<Record<string, string>> | undefined;
  readonly dataDir: string;
  /** Bucket of objects; undefined: they are files in `dataDir`. */
  readonly s3: S3Settings | undefined;
  /** Without a trailing slash; undefined: as each request names it. */
  readonly publicBaseUrl: string | undefined;
  readonly platformDomain: string;
  /** Origins that may embed the sites of projects, by the key that a release names. */
  readonly embeddingOrigins: ReadonlyMap<string, readonly string[]>;
  /** Where own domains have to lead; undefined: where the project's own host leads. */
  readonly hostAddresses: readonly string[] | undefined;
  /** 0 lets the system pick one; undefined: no TLS. */
  readonly tlsPort: number | undefined;
  /** The operator's own certificate. */
  readonly tlsFiles: { readonly certificate: string; readonly key: string } | undefined;
  /** Whom certificates are ordered from; undefined: none are. */
  readonly acme: { readonly directoryUrl: string; readonly email: string | undefined } | undefined;
  /** Name servers that own domains are looked up at; undefined: the system's. */
  readonly dnsServers: readonly string[] | undefined;
  /** Set when several nodes serve one control database. */
  readonly natsUrl: string | undefined;
  readonly smtpUrl: string | undefined;
  readonly mailFrom: string;
  /** Origins of this network that webhooks may go to. */
  readonly webhookOrigins: readonly string[];
  /** The bot that tells notices in chats; undefined: none does. */
  readonly telegram: { readonly apiUrl: string; readonly token: string } | undefined;
  /** Where mail comes in; undefined: none does. */
  readonly mailListen: { readonly host: string; readonly port: number } | undefined;
  /** 32 bytes; undefined in development, where the data folder keeps one. */
  readonly secretKey: Buffer | undefined;
  readonly previousSecretKey: Buffer | undefined;
  readonly adminKey: string | undefined;
  /** Folder of backups; undefined: the gateway knows none. */
  readonly backupDir: string | undefined;
  /** Folder whose archives may be imported by their path; undefined: there is none. */
  readonly archiveDir: string | undefined;
  /** Encrypts the secrets of a backup; undefined: the root secret does. */
  readonly backupPassphrase: string | undefined;
  /** Who project users may sign in with, Google first if it is one of them. */
  readonly oidcProviders: readonly OidcProvider[];
  /** Whose tokens workflows of CI exchange. */
  readonly ciIssuer: string;
  /** Undefined: where clients reach the gateway. */
  readonly ciAudience: string | undefined;
  /** Undefined: a wallet whose key is derived from the root secret. */
  readonly settlementAddress: string | undefined;
  readonly payments: PaymentsConfig;
  readonly billing: BillingConfig;
  /** Models that are asked over the network. */
  readonly ai: AiSettings;
  /** Names that the API answers under besides its own, in lower case. */
  readonly allowedHosts: readonly string[];
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
  /** Whether organizations have leases that end, and tiers prices. */
  readonly leases: boolean;
  /** How many managed jobs may wait and run. */
  readonly jobs: { readonly perProject: number; readonly queued: number };
  readonly functionsIsolation: 'required' | 'optional';
  /** Folder of the root file systems that commands of jobs run in. */
  readonly jobRoots: string | undefined;
  /** Where the packages of functions come from. */
  readonly npmRegistry: RegistrySettings;
  /** Where leases of tiers are paid for. */
  readonly tierNetwork: 'base' | 'base-sepolia';
  /** Undefined: none, so the peer is the client. */
  readonly trustedProxies: TrustedProxies | undefined;
  /** Sockets and requests under way that one address may have at once. */
  readonly connectionsPerAddress: number;
  /** How long `/readyz` says 503 before the port closes, in seconds. */
  readonly drainSeconds: number;
  /** Whether it stops when standard input ends, as it does when the process that started it is gone. */
  readonly stopWithStdin: boolean;
  readonly logLevel: LogLevel;
  readonly otlpEndpoint: string | undefined;
}

/** The directory of Let's Encrypt. */
const usualAuthority = 'https://acme-v02.api.letsencrypt.org/directory';

/** What settings of TLS need of each other. */
function tlsFaults(has: (name: keyof Environment) => boolean): string[] {
  const needs: readonly (readonly [keyof Environment, keyof Environment])[] = [
    ['TLS_CERT_FILE', 'TLS_KEY_FILE'],
    ['TLS_KEY_FILE', 'TLS_CERT_FILE'],
    ['ACME_TERMS_AGREED', 'TLS_PORT'],
    ['ACME_DIRECTORY_URL', 'ACME_TERMS_AGREED'],
    ['ACME_EMAIL', 'ACME_TERMS_AGREED'],
  ];
  const faults = needs.flatMap(([name, other]) =>
    has(name) && !has(other) ? [`${other} must be set when ${name} is.`] : [],
  );
  if (has('TLS_CERT_FILE') && !has('TLS_PORT') && !has('MAIL_LISTEN'))
    faults.push('TLS_PORT must be set when TLS_CERT_FILE is, unless MAIL_LISTEN uses it.');
  return faults;
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
  if (production && values.ACME_DIRECTORY_URL?.startsWith('http:') === true)
    faults.push('ACME_DIRECTORY_URL must begin with https:// when NODE_ENV is production.');
  faults.push(...storageFaults(has));
  faults.push(...tlsFaults(has), ...paymentFaults(values), ...billingFaults(has), ...aiFaults(has));
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
    connectionEnvironment: connectionEnvironmentOf(env),
    production,
    port: values.PORT ?? 4000,
    host: values.HOST ?? '127.0.0.1',
    databaseUrl: values.DATABASE_URL,
    projectDatabaseUrls: values.PROJECT_DATABASE_URLS,
    dataDir: values.SVC_DATA_DIR ?? '.svc',
    s3: storageOf(values),
    publicBaseUrl: values.PUBLIC_BASE_URL,
    platformDomain,
    embeddingOrigins: values.EMBEDDING_ORIGINS ?? new Map(),
    hostAddresses: values.HOST_ADDRESSES,
    dnsServers: values.DNS_SERVERS,
    tlsPort: values.TLS_PORT,
    tlsFiles:
      values.TLS_CERT_FILE === undefined || values.TLS_KEY_FILE === undefined
        ? undefined
        : { certificate: values.TLS_CERT_FILE, key: values.TLS_KEY_FILE },
    acme:
      values.ACME_TERMS_AGREED === undefined
        ? undefined
        : { directoryUrl: values.ACME_DIRECTORY_URL ?? usualAuthority, email: values.ACME_EMAIL },
    natsUrl: values.NATS_URL,
    smtpUrl: values.SMTP_URL,
    mailFrom: values.MAIL_FROM ?? `svc <no-reply@${platformDomain}>`,
    mailListen: values.MAIL_LISTEN,
    webhookOrigins: values.WEBHOOK_ORIGINS ?? [],
    telegram:
      values.TELEGRAM_BOT_TOKEN === undefined
        ? undefined
        : {
            token: values.TELEGRAM_BOT_TOKEN,
            apiUrl: (values.TELEGRAM_API_URL ?? 'https://api.telegram.org').replace(/\/$/, ''),
          },
    secretKey: values.SVC_SECRET_KEY,
    previousSecretKey: values.SVC_SECRET_KEY_PREVIOUS,
    adminKey: values.SVC_ADMIN_KEY,
    backupDir: values.SVC_BACKUP_DIR,
    archiveDir: values.SVC_ARCHIVE_DIR,
    backupPassphrase: values.SVC_BACKUP_PASSPHRASE,
    oidcProviders: [...googleOf(values), ...(values.OIDC_PROVIDERS ?? [])],
    settlementAddress: values.SETTLEMENT_ADDRESS,
    payments: paymentsOf(values),
    billing: billingOf(values),
    ai: aiOf(values),
    allowedHosts: values.ALLOWED_HOSTS ?? [],
    mcpOrigins: values.MCP_ALLOWED_ORIGINS?.includes('*') ? undefined : values.MCP_ALLOWED_ORIGINS,
    nearAgentsSecret: values.NEAR_AGENTS_SECRET,
    licenceKeys: values.LICENSE_SIGNING_JWK,
    sellerName: values.SELLER_NAME,
    governingLaw: values.GOVERNING_LAW,
    auditDefaultUrl: values.AUDIT_DEFAULT_URL ?? 'https://example.com/',
    leases: values.SVC_LEASES === 'on',
    jobs: { perProject: values.SVC_JOBS_PER_PROJECT ?? 20, queued: values.SVC_JOBS_QUEUED ?? 1_000 },
    functionsIsolation: values.SVC_FUNCTIONS_ISOLATION ?? 'required',
    jobRoots: values.SVC_JOB_ROOTS === undefined ? undefined : resolve(values.SVC_JOB_ROOTS),
    ciIssuer: values.SVC_CI_ISSUER ?? 'https://token.actions.githubusercontent.com',
    ciAudience: values.SVC_CI_AUDIENCE,
    npmRegistry: { url: values.NPM_REGISTRY ?? 'https://registry.npmjs.org', token: values.NPM_REGISTRY_TOKEN },
    tierNetwork: values.TIER_NETWORK ?? 'base-sepolia',
    trustedProxies: values.TRUSTED_PROXIES,
    connectionsPerAddress: values.CONNECTIONS_PER_ADDRESS ?? 10_000,
    drainSeconds: values.DRAIN_SECONDS ?? (production ? 2 : 0),
    stopWithStdin: values.STOP_WITH_STDIN ?? false,
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
  const api = URL.parse(given.PUBLIC_BASE_URL ?? '')?.hostname.toLowerCase();
  const domain = given.PLATFORM_DOMAIN?.toLowerCase();
  if (api !== undefined && domain !== undefined && (api === domain || api.endsWith(`.${domain}`))) {
    faults.push(
      'PLATFORM_DOMAIN must not be the domain of PUBLIC_BASE_URL, nor above it, when NODE_ENV is production: pages of projects could set cookies for the console.',
    );
  }
  if (/(^|\.)localhost$/i.test(given.PLATFORM_DOMAIN ?? '')) {
    faults.push('PLATFORM_DOMAIN must be a domain of yours when NODE_ENV is production: localhost is for development.');
  }
  return faults;
}

const connectionEnvironmentOf = (env: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).filter(
      (entry): entry is [string, string] =>
        entry[1] !== undefined && (entry[0] === 'NODE_EXTRA_CA_CERTS' || entry[0].startsWith('PG')),
    ),
  );
