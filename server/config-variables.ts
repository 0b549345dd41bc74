import { z } from 'zod';
import { readSigningKeys } from '../engines/licences/signing-keys.ts';
import { parseTarget } from '../engines/site-audit/target.ts';
import { readTrustedProxies } from './client-address.ts';
import { aiDescriptions, aiVariables } from './config-ai.ts';
import { billingDescriptions, billingVariables } from './config-billing.ts';
import { paymentDescriptions, paymentVariables } from './config-payments.ts';
import { storageDescriptions, storageVariables } from './config-storage.ts';
import {
  adminKeyCharactersMin,
  dnsServers,
  hostNames,
  ipAddresses,
  listenAddress,
  oidcProviders,
  originCatalogue,
  parsed,
  postgresUrl,
  projectServers,
  readAdminKey,
  secretKey,
  urlOf,
  webOrigins,
  webUrl,
} from './config-values.ts';

export type LogLevel = (typeof logLevels)[number];

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

const oauthCredential = (value: string) => (/^[\x21-\x7e]{1,512}$/.test(value) ? value : undefined);

/** A text on one line. */
const line = (value: string) => (/^[^\p{Cc}]{1,200}$/u.test(value) ? value : undefined);

const path = (value: string) => (value.includes('\0') ? undefined : value);

const countOfJobs = (most: number) => (value: string) =>
  /^[1-9]\d{0,6}$/.test(value) && Number(value) <= most ? Number(value) : undefined;

const targetOf = (value: string): string | undefined => {
  try {
    return parseTarget(value).href;
  } catch {
    return undefined;
  }
};

/** What each variable may hold. */
export const environment = z.object({
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
  SVC_DATA_DIR: parsed('a path', path),
  ...storageVariables,
  PUBLIC_BASE_URL: parsed('a URL that begins with http:// or https://, without a query or credentials', webUrl),
  PLATFORM_DOMAIN: parsed('a domain name such as apps.example.com', (value) =>
    /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i.test(value)
      ? value.toLowerCase()
      : undefined,
  ),
  EMBEDDING_ORIGINS: parsed(
    'a comma-separated list of key=origin origin … in which each key (a small letter, then small letters, digits, - or _) occurs once',
    originCatalogue,
  ),
  HOST_ADDRESSES: parsed('IP addresses separated by commas', ipAddresses),
  DNS_SERVERS: parsed('IP addresses, each with or without a port, separated by commas', dnsServers),
  TLS_PORT: parsed('a whole number from 0 to 65535', (value) =>
    /^\d{1,5}$/.test(value) && Number(value) <= 65_535 ? Number(value) : undefined,
  ),
  TLS_CERT_FILE: parsed('a path', path),
  TLS_KEY_FILE: parsed('a path', path),
  ACME_TERMS_AGREED: parsed('true', (value) => (value === 'true' ? true : undefined)),
  ACME_DIRECTORY_URL: parsed('a URL that begins with https://, or http:// on this machine', (value) =>
    urlOf(value, 'https') === undefined && !/^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])[:/]/.test(value)
      ? undefined
      : value,
  ),
  ACME_EMAIL: parsed('an address such as me@example.com', (value) =>
    /^[^\s@<>,]+@[^\s@<>,]+$/.test(value) ? value : undefined,
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
  MAIL_LISTEN: parsed('a port, or an address and a port such as 0.0.0.0:25', listenAddress),
  WEBHOOK_ORIGINS: parsed('origins such as http://localhost:8080, separated by commas', (value) => {
    const origins = webOrigins(value);
    return origins?.includes('*') === true ? undefined : origins;
  }),
  TELEGRAM_BOT_TOKEN: parsed('a token such as 123456:ABC…', (value) =>
    /^\d{1,20}:[\w-]{20,100}$/.test(value) ? value : undefined,
  ),
  TELEGRAM_API_URL: parsed('a URL that begins with http:// or https://, without a query or credentials', webUrl),
  SVC_SECRET_KEY: secretKey(),
  SVC_SECRET_KEY_PREVIOUS: secretKey(),
  SVC_BACKUP_DIR: parsed('a path', path),
  SVC_ARCHIVE_DIR: parsed('a path', path),
  SVC_BACKUP_PASSPHRASE: parsed('at least 12 characters long', (value) => (value.length >= 12 ? value : undefined)),
  SVC_ADMIN_KEY: parsed(`at least ${adminKeyCharactersMin} characters long, without spaces`, readAdminKey),
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
  ...billingVariables,
  ...aiVariables,
  ALLOWED_HOSTS: parsed('host names without a port, separated by commas', hostNames),
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
  SVC_LEASES: parsed('on or off', (value) => (value === 'on' || value === 'off' ? value : undefined)),
  SVC_JOBS_PER_PROJECT: parsed('a whole number from 1 to 10000', countOfJobs(10_000)),
  SVC_JOBS_QUEUED: parsed('a whole number from 1 to 1000000', countOfJobs(1_000_000)),
  NPM_REGISTRY: parsed('a URL that begins with http:// or https://, without a query or credentials', webUrl),
  NPM_REGISTRY_TOKEN: parsed('a token without spaces', (value) =>
    /^[\x21-\x7e]{1,1024}$/.test(value) ? value : undefined,
  ),
  SVC_CI_ISSUER: parsed('a URL that begins with http:// or https://, without a query or credentials', webUrl),
  SVC_CI_AUDIENCE: parsed('a line of at most 200 characters', line),
  SVC_JOB_ROOTS: parsed('a path', path),
  SVC_FUNCTIONS_ISOLATION: parsed('required or optional', (value) =>
    value === 'required' || value === 'optional' ? value : undefined,
  ),
  TIER_NETWORK: parsed('base or base-sepolia', (value) =>
    value === 'base' || value === 'base-sepolia' ? value : undefined,
  ),
  TRUSTED_PROXIES: parsed('addresses or networks such as 10.0.0.0/8, separated by commas', readTrustedProxies),
  CONNECTIONS_PER_ADDRESS: parsed('a whole number from 1 to 1000000', (value) =>
    /^[1-9]\d{0,6}$/.test(value) && Number(value) <= 1_000_000 ? Number(value) : undefined,
  ),
  DRAIN_SECONDS: parsed('a whole number from 0 to 4', (value) => (/^[0-4]$/.test(value) ? Number(value) : undefined)),
  STOP_WITH_STDIN: parsed('1', (value) => (value === '1' ? true : undefined)),
  LOG_LEVEL: parsed(`one of ${logLevels.join(', ')}`, (value) => logLevels.find((level) => level === value)),
  OTEL_EXPORTER_OTLP_ENDPOINT: parsed('a URL that begins with http:// or https://', webUrl),
});

export type Environment = z.output<typeof environment>;

/** One variable of the environment, as the documentation shows it. */
export interface EnvironmentVariable {
  readonly name: keyof Environment;
  /** What holds when it is absent, in words. */
  readonly default: string;
  readonly description: string;
  /** Its value gives power to its readers. */
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
  ...storageDescriptions,
  PUBLIC_BASE_URL: open(
    'the scheme and host of each request',
    'Where clients reach this gateway, `https://…`. Required in production, where a forged Host header must not end up in a stored URL. Without it wallets sign in only under loopback names, `HOST` and the address of the connection itself; behind a proxy it must be set.',
  ),
  PLATFORM_DOMAIN: open(
    '`localhost`',
    'Domain under which project hosts live, as `p-<public_id>.PLATFORM_DOMAIN`; a wildcard record has to lead there. A name below it that no project has is nobody’s.',
  ),
  EMBEDDING_ORIGINS: open(
    'nobody',
    'Who may embed the sites of projects, by the keys that releases name: `docs=https://docs.example.com https://help.example.com,intranet=https://intranet.example.com`.',
  ),
  HOST_ADDRESSES: open(
    'those that the project’s own host resolves to',
    'Public addresses, separated by commas, that own domains of projects have to lead to by their A and AAAA records: the gateway’s, or those of what is in front of it.',
  ),
  DNS_SERVERS: open(
    'those of the system',
    'Name servers that own domains of projects are looked up at: IP addresses separated by commas, with a port where that is not 53 (`10.0.0.2:5353,[::1]:53`).',
  ),
  TLS_PORT: open(
    'no TLS: something in front of the gateway has the certificates',
    'TCP port to listen on with TLS, beside `PORT`; `0` lets the system pick one. A connection is given the certificate of the host that it names, and refused where there is none.',
  ),
  TLS_CERT_FILE: open(
    'none',
    'Certificate with those that it rests on, in PEM: for the names in it, such as `*.PLATFORM_DOMAIN`. It is read again when it has changed. Takes `TLS_KEY_FILE`, and `TLS_PORT` or `MAIL_LISTEN`.',
  ),
  TLS_KEY_FILE: open('none', 'Private key of `TLS_CERT_FILE`, in PEM.'),
  ACME_TERMS_AGREED: open(
    'no certificates are ordered',
    '`true`: the operator agrees to the terms of the certificate authority, and the gateway orders a certificate for each own domain that leads to it, and for the host of `PUBLIC_BASE_URL`. Takes `TLS_PORT`; port 80 of these hosts has to lead to `PORT`.',
  ),
  ACME_DIRECTORY_URL: open(
    '`https://acme-v02.api.letsencrypt.org/directory`',
    'Directory of the certificate authority (RFC 8555). It may lie in a private network.',
  ),
  ACME_EMAIL: open('none', 'Address that the certificate authority may write to.'),
  NATS_URL: secret(
    'one node',
    'Carries wake-up signals between nodes that share a control database. Set it on all of them, together with `DATABASE_URL` and one `SVC_SECRET_KEY`.',
  ),
  SMTP_URL: secret(
    'mail stays in the outbox',
    'Server for outgoing mail, `smtp://` or `smtps://`, with user and password.',
  ),
  MAIL_FROM: open('`svc <no-reply@PLATFORM_DOMAIN>`', 'Sender of outgoing mail.'),
  MAIL_LISTEN: open(
    'no mail comes in',
    'Where the gateway takes mail for mailboxes by SMTP: `0.0.0.0:25`, or a port alone for every interface. MX records of `mail.PLATFORM_DOMAIN` and of `*.mail.PLATFORM_DOMAIN` have to lead there. With `TLS_CERT_FILE` it offers STARTTLS. Senders are checked by `DNS_SERVERS`. Where one node takes mail, set it on all of them: nodes that have it know that answers come back.',
  ),
  WEBHOOK_ORIGINS: open(
    'webhooks go to https addresses of the public internet alone',
    'Origins that webhooks of projects may go to besides: they may lie in a private network or on this machine, and speak plain http (`http://localhost:8080`). Every project can send to them. Relays of chat communities may lie there, too: `ws://` goes by the origin of `http://`.',
  ),
  TELEGRAM_BOT_TOKEN: secret(
    'no chats of Telegram are connected',
    'Token of a bot of Telegram (made with @BotFather) that tells notices in chats. No webhook of the bot may be set: the gateway asks for what chats say while one is being connected.',
  ),
  TELEGRAM_API_URL: open(
    '`https://api.telegram.org`',
    'Where the Bot API of Telegram is; it may lie in a private network.',
  ),
  SVC_SECRET_KEY: secret(
    'made at the first start and kept in `SVC_DATA_DIR/secret.key`',
    'Root secret of 32 bytes, 64 hexadecimal digits or base64. Project keys, cursors and database passwords are derived from it: lose it and they are lost. Required in production.',
  ),
  SVC_SECRET_KEY_PREVIOUS: secret(
    '`SVC_DATA_DIR/secret-previous.key`, which a restore of a backup from such a time makes',
    'The root secret before the current one. What it made stays valid only while it is known: keep it set until every project key, token and stored secret that was made under it is replaced. See “Rotating the root secret” in [running.md](running.md).',
  ),
  SVC_BACKUP_DIR: open(
    'the gateway knows no backups, and `svc backup` asks for a folder',
    'Folder of backups: `svc backup` without a folder saves into it, and the gateway shows it to the platform admin. A relative path begins at the folder of the gateway. Let it lie on another disk; several nodes need one that all of them reach.',
  ),
  SVC_ARCHIVE_DIR: open(
    'archives are imported from what clients upload alone',
    'Folder of archives of projects that may be imported by their path below it. Whoever may make a project may import everything that lies in it, so let nothing else lie there. A relative path begins at the folder of the gateway.',
  ),
  SVC_BACKUP_PASSPHRASE: secret(
    'the root secret encrypts the secrets of a backup, and is not in it',
    'Passphrase under which `svc backup` encrypts the root secret and other secrets, and `svc restore` opens them, at least 12 characters. The gateway itself uses it for the backups that its platform admin starts.',
  ),
  SVC_ADMIN_KEY: secret(
    'in development, unless `SVC_SECRET_KEY` is set, made at the first start and kept in `SVC_DATA_DIR/admin.key`; in production nobody is platform admin',
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
    'Wallet that payments to this installation are asked for, `0x…`. Required in production where payments are settled or looked at: nobody is shown the key of the derived one.',
  ),
  ...paymentDescriptions,
  ...billingDescriptions,
  ...aiDescriptions,
  ALLOWED_HOSTS: open(
    'none besides those below',
    'Further host names that the API answers under, separated by commas and without a port, such as the name of a container. It always answers under `localhost` and the names below it, every IP address, `HOST`, and the hosts of `PUBLIC_BASE_URL` and `PLATFORM_DOMAIN`. Any other name that no project has is refused with 421 `HOST_NOT_ALLOWED`, so that a web page cannot reach the gateway by pointing a name of its own to it.',
  ),
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
  SVC_LEASES: open(
    '`off`: organizations never expire, and tiers cost nothing',
    '`on` for those who sell the gateway: a new organization has a lease of 7 days, a paid tier one of 30 days, and an organization without a lease is frozen and, after 104 days, purged. Give every node the same value; see “Leases and balances” in [running.md](running.md).',
  ),
  SVC_JOBS_PER_PROJECT: open('`20`', 'Managed jobs of one project that wait and run; more are refused with 429.'),
  SVC_JOBS_QUEUED: open('`1000`', 'Managed jobs of all projects that wait and run; more are refused with 503.'),
  NPM_REGISTRY: open(
    '`https://registry.npmjs.org`',
    'Registry of npm that the packages of functions (`deps`) come from. It may lie in a private network.',
  ),
  NPM_REGISTRY_TOKEN: secret('none', 'Bearer token for `NPM_REGISTRY`.'),
  SVC_CI_ISSUER: open(
    '`https://token.actions.githubusercontent.com`: GitHub Actions',
    'Issuer of the OpenID Connect tokens that workflows of CI exchange for the right to deploy. It may lie in a private network.',
  ),
  SVC_CI_AUDIENCE: open(
    '`PUBLIC_BASE_URL`',
    'Audience that these tokens have to be for. Change it before the first binding: each names it.',
  ),
  SVC_JOB_ROOTS: open(
    'jobs run no commands',
    'Folder with a root file system in each of its folders, as an image of a container unpacks to. Commands that the operator registers as types of jobs run in them, read-only.',
  ),
  SVC_FUNCTIONS_ISOLATION: open(
    '`required`: a machine that cannot keep functions apart runs none',
    '`optional` runs functions without isolation where the machine cannot keep them apart: they reach its whole network and, as processes of the same user, can take the gateway over. For installations whose every project is trusted as the operator is.',
  ),
  TIER_NETWORK: open(
    '`base-sepolia`, where money is for trials',
    'Network on which leases of tiers are paid for: `base` sells them for real money. It counts with `SVC_LEASES=on`.',
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
  STOP_WITH_STDIN: open(
    'it goes on',
    '`1`: the gateway stops, as on `SIGTERM`, when its standard input ends. For programs that start one of their own through a pipe: however they end, it does not outlive them.',
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
