import { expect, test } from 'vitest';
import { configurationPage } from '../../scripts/generate-configuration.ts';
import { ConfigError, readConfig } from '../../server/config.ts';
import { environmentVariables } from '../../server/config-variables.ts';

const hexKey = '0123456789abcdef'.repeat(4);
const safeProduction = {
  NODE_ENV: 'production',
  DATABASE_URL: 'postgres://svc:pw@db.internal/svc',
  SVC_SECRET_KEY: hexKey,
  PUBLIC_BASE_URL: 'https://svc.example.com',
  PLATFORM_DOMAIN: 'apps.example.com',
};

function faults(env: Record<string, string | undefined>): readonly string[] {
  try {
    readConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  return [];
}

/** The names that faults begin with. */
const atFault = (env: Record<string, string | undefined>) => faults(env).map((fault) => fault.split(' ')[0]);

test('an empty environment is a working development set-up', () => {
  expect(readConfig({})).toEqual({
    production: false,
    port: 4000,
    connectionEnvironment: {},
    host: '127.0.0.1',
    databaseUrl: undefined,
    projectDatabaseUrls: undefined,
    dataDir: '.svc',
    publicBaseUrl: undefined,
    platformDomain: 'localhost',
    embeddingOrigins: new Map(),
    archiveDir: undefined,
    natsUrl: undefined,
    smtpUrl: undefined,
    mailFrom: 'svc <no-reply@localhost>',
    secretKey: undefined,
    previousSecretKey: undefined,
    adminKey: undefined,
    backupPassphrase: undefined,
    allowedHosts: [],
    oidcProviders: [],
    settlementAddress: undefined,
    mcpOrigins: undefined,
    nearAgentsSecret: undefined,
    licenceKeys: undefined,
    sellerName: undefined,
    governingLaw: undefined,
    auditDefaultUrl: 'https://example.com/',
    stopWithStdin: false,
    leases: false,
    jobs: { perProject: 20, queued: 1_000 },
    functionsIsolation: 'required',
    npmRegistry: { url: 'https://registry.npmjs.org', token: undefined },
    webhookOrigins: [],
    ciIssuer: 'https://token.actions.githubusercontent.com',
    tierNetwork: 'base-sepolia',
    billing: { stripe: undefined, lightning: undefined },
    ai: { models: {}, timeoutMs: 120_000 },
    payments: {
      settlerKey: undefined,
      faucetKey: undefined,
      faucetAmount: 250_000n,
      facilitatorUrl: undefined,
      rpcUrls: {},
      confirmations: {},
      ton: undefined,
      tonSettlementAddress: undefined,
    },
    trustedProxies: undefined,
    connectionsPerAddress: 10_000,
    drainSeconds: 0,
    logLevel: 'info',
    otlpEndpoint: undefined,
  });
});

test('leases are turned on by one word, and no other is taken for it', () => {
  expect(readConfig({ SVC_LEASES: 'on' }).leases).toBe(true);
  expect(readConfig({ SVC_LEASES: 'off' }).leases).toBe(false);
  for (const value of ['1', 'true', 'yes', 'ON'])
    expect(faults({ SVC_LEASES: value })).toEqual(['SVC_LEASES must be on or off.']);
});

test('a bucket needs its address and its key, and is then what objects are kept in', () => {
  const bucket = {
    S3_ENDPOINT: 'https://s3.example/',
    S3_BUCKET: 'acme-objects',
    S3_ACCESS_KEY_ID: 'AKIA',
    S3_SECRET_ACCESS_KEY: 'a+b/c',
  };
  expect(readConfig(bucket).s3).toEqual({
    endpoint: 'https://s3.example',
    bucket: 'acme-objects',
    region: 'us-east-1',
    accessKeyId: 'AKIA',
    secretAccessKey: 'a+b/c',
    pathStyle: true,
  });
  expect(readConfig({ ...bucket, S3_REGION: 'eu-north-1', S3_FORCE_PATH_STYLE: 'false' }).s3).toMatchObject({
    region: 'eu-north-1',
    pathStyle: false,
  });
  expect(readConfig({}).s3).toBeUndefined();
  expect(atFault({ S3_BUCKET: 'acme-objects' })).toEqual(['S3_ENDPOINT', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY']);
  expect(atFault({ S3_REGION: 'eu-north-1' })).toContain('S3_BUCKET');
});

test('an empty variable counts as absent', () => {
  const empty = Object.fromEntries(environmentVariables.map(({ name }) => [name, ' ']));
  expect(readConfig(empty)).toEqual(readConfig({}));
});

test('every fault is listed at once, by name and without a value', () => {
  const env = {
    PORT: '70000',
    HOST: 'a b',
    DATABASE_URL: 'mysql://root:hunter2@db/x',
    PROJECT_DATABASE_URLS: 'main=postgres://a/b,main=postgres://c/d',
    S3_ENDPOINT: 'https://hunter2@s3.example',
    S3_BUCKET: 'Hunter2',
    S3_REGION: 'hunter 2',
    S3_ACCESS_KEY_ID: 'hunter 2',
    S3_SECRET_ACCESS_KEY: 'hunter 2',
    S3_FORCE_PATH_STYLE: 'hunter2',
    PUBLIC_BASE_URL: 'ftp://x',
    PLATFORM_DOMAIN: 'not a domain',
    NATS_URL: 'hunter2',
    SMTP_URL: 'https://hunter2@mail',
    MAIL_FROM: 'nobody',
    SVC_SECRET_KEY: 'hunter2',
    SVC_SECRET_KEY_PREVIOUS: 'hunter2',
    SVC_ADMIN_KEY: 'hunter2',
    SETTLEMENT_ADDRESS: '0xhunter2',
    MCP_ALLOWED_ORIGINS: 'https://a.example/hunter2',
    NEAR_AGENTS_SECRET: 'hunter2',
    X402_SETTLER_KEY: 'hunter2',
    X402_FACILITATOR_URL: 'ftp://hunter2@facilitator',
    RPC_URL_BASE: 'wss://hunter2@rpc',
    RPC_URL_BASE_SEPOLIA: 'hunter2',
    RPC_URL_ETHEREUM: 'hunter2',
    RPC_URL_POLYGON: 'hunter2',
    RPC_URL_BSC: 'hunter2',
    CONFIRMATIONS_BASE: '0',
    CONFIRMATIONS_BASE_SEPOLIA: '1001',
    CONFIRMATIONS_ETHEREUM: '1.5',
    CONFIRMATIONS_POLYGON: '-1',
    CONFIRMATIONS_BSC: 'all',
    SETTLEMENT_ADDRESS_TON: 'hunter2',
    TON_API_URL: 'https://hunter2@index',
    TON_API_KEY: 'hunter 2',
    CONFIRMATIONS_TON: '0',
    TRUSTED_PROXIES: '10.0.0.0/33',
    CONNECTIONS_PER_ADDRESS: '0',
    LOG_LEVEL: 'loud',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318',
    NODE_ENV: 'staging',
  };
  expect(atFault(env).sort()).toEqual(Object.keys(env).sort());
  for (const fault of faults(env)) expect(fault).toMatch(/^[A-Z0-9_]+ must be .+\.$/);
  expect(faults(env).join()).not.toContain('hunter2');
});

test('production refuses every unsafe default by name', () => {
  expect(atFault({ NODE_ENV: 'production' }).sort()).toEqual([
    'DATABASE_URL',
    'PLATFORM_DOMAIN',
    'PUBLIC_BASE_URL',
    'SVC_SECRET_KEY',
  ]);
  expect(readConfig(safeProduction)).toMatchObject({ production: true, adminKey: undefined });
});

test.each([
  ['a public URL without TLS', { PUBLIC_BASE_URL: 'http://svc.example.com' }, 'PUBLIC_BASE_URL'],
  ['localhost as the platform domain', { PLATFORM_DOMAIN: 'apps.localhost' }, 'PLATFORM_DOMAIN'],
])('production refuses %s', (_case, env, name) => {
  expect(atFault({ ...safeProduction, ...env })).toEqual([name]);
});

test.each([
  ['hexadecimal', hexKey],
  ['base64', Buffer.from(hexKey, 'hex').toString('base64')],
  ['base64url', Buffer.from(hexKey, 'hex').toString('base64url')],
])('a root secret may be written as %s', (_case, SVC_SECRET_KEY) => {
  expect(readConfig({ SVC_SECRET_KEY }).secretKey?.toString('hex')).toBe(hexKey);
});

test.each([
  ['31 bytes', 'ab'.repeat(31)],
  ['one byte repeated', '00'.repeat(32)],
  ['a passphrase', 'correct horse battery staple'],
])('a root secret of %s is refused', (_case, SVC_SECRET_KEY) => {
  expect(atFault({ SVC_SECRET_KEY })).toEqual(['SVC_SECRET_KEY']);
});

test('a previous root secret needs a current one that differs', () => {
  expect(atFault({ SVC_SECRET_KEY_PREVIOUS: hexKey })).toEqual(['SVC_SECRET_KEY']);
  expect(atFault({ SVC_SECRET_KEY: hexKey, SVC_SECRET_KEY_PREVIOUS: hexKey })).toEqual(['SVC_SECRET_KEY_PREVIOUS']);
});

test('several nodes must share a database and a root secret', () => {
  expect(atFault({ NATS_URL: 'nats://a:4222,nats://b:4222' })).toEqual(['DATABASE_URL', 'SVC_SECRET_KEY']);
});

/** Of a jetton's master, which is an account as any. */
const bounceable = 'EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs';

test.each([
  ['raw', `0:${'Ab'.repeat(32)}`, `0:${'ab'.repeat(32)}`],
  ['raw, on the masterchain', `-1:${'ab'.repeat(32)}`, `-1:${'ab'.repeat(32)}`],
  ['for messages that bounce', bounceable, bounceable],
  ['in the other base64', bounceable.replaceAll('_', '/'), bounceable.replaceAll('_', '/')],
])('an account on TON may be written %s', (_case, SETTLEMENT_ADDRESS_TON, read) => {
  expect(readConfig({ SETTLEMENT_ADDRESS_TON }).payments.tonSettlementAddress).toBe(read);
});

test.each([
  ['with a letter mistyped', bounceable.replace('xE', 'xF')],
  // The same account for trials: its tag is another, and so is its checksum.
  ['of the test network', 'kQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_ntm'],
  ['that is too short', bounceable.slice(0, -1)],
  ['of a chain that there is not', `2:${'ab'.repeat(32)}`],
  ['of another kind of chain', `0x${'ab'.repeat(20)}`],
])('an account on TON %s is refused', (_case, SETTLEMENT_ADDRESS_TON) => {
  expect(atFault({ SETTLEMENT_ADDRESS_TON })).toEqual(['SETTLEMENT_ADDRESS_TON']);
});

test('payments are settled by this process or by a facilitator, not by both', () => {
  const X402_SETTLER_KEY = `0x${hexKey}`;
  const X402_FACILITATOR_URL = 'https://user:pw@facilitator.example.com/x402?key=1';
  expect(
    readConfig({ X402_SETTLER_KEY, RPC_URL_BASE: 'https://rpc.example.com/v2/key', CONFIRMATIONS_BSC: '7' }),
  ).toMatchObject({
    payments: {
      settlerKey: X402_SETTLER_KEY,
      facilitatorUrl: undefined,
      rpcUrls: { base: 'https://rpc.example.com/v2/key' },
      confirmations: { bsc: 7 },
    },
  });
  expect(readConfig({ X402_FACILITATOR_URL }).payments.facilitatorUrl).toBe(X402_FACILITATOR_URL);
  expect(atFault({ X402_SETTLER_KEY, X402_FACILITATOR_URL })).toEqual(['X402_SETTLER_KEY']);
  expect(atFault({ FAUCET_KEY: X402_SETTLER_KEY })).toEqual(['FAUCET_KEY']);
  expect(atFault({ FAUCET_USD_MICROS: '0.25' })).toEqual(['FAUCET_USD_MICROS']);
});

test('cards and lightning are set up wholly, or refused', () => {
  const stripe = { STRIPE_SECRET_KEY: 'sk_test_0123456789', STRIPE_WEBHOOK_SECRET: 'whsec_0123456789' };
  const lnd = { LND_URL: 'https://lnd.internal:8080', LND_MACAROON: 'ab'.repeat(20) };
  expect(readConfig(stripe).billing).toEqual({
    stripe: { secretKey: 'sk_test_0123456789', webhookSecret: 'whsec_0123456789', apiUrl: undefined },
    lightning: undefined,
  });
  expect(readConfig({ ...lnd, LIGHTNING_USD_PER_BTC: '65000.5' }).billing.lightning).toEqual({
    url: 'https://lnd.internal:8080',
    macaroon: 'ab'.repeat(20),
    rate: { fixed: '65000.5' },
  });
  const [wallet, secret] = ['a'.repeat(64), 'b'.repeat(64)];
  const nwc = `nostr+walletconnect://${wallet}?relay=wss%3A%2F%2Frelay.example.com&relay=ws://two.example.com/v1&secret=${secret}`;
  expect(readConfig({ NWC_URL: nwc, LIGHTNING_USD_PER_BTC: '65000.5' }).billing.lightning).toEqual({
    nwc: { wallet, secret, relays: ['wss://relay.example.com', 'ws://two.example.com/v1'] },
    rate: { fixed: '65000.5' },
  });
  for (const wrong of [nwc.replace('wss', 'https'), nwc.replace('b', 'x'), nwc.replace(`//${wallet}`, '//'), 'hunter2'])
    expect(atFault({ NWC_URL: wrong, LIGHTNING_USD_PER_BTC: '1' })).toEqual(['NWC_URL']);
  expect(atFault({ ...lnd, NWC_URL: nwc, LIGHTNING_USD_PER_BTC: '1' })).toEqual(['LND_URL']);
  expect(atFault({ STRIPE_SECRET_KEY: stripe.STRIPE_SECRET_KEY })).toEqual(['STRIPE_WEBHOOK_SECRET']);
  expect(atFault({ ...stripe, STRIPE_SECRET_KEY: 'hunter2' })).toEqual(['STRIPE_SECRET_KEY']);
  expect(atFault(lnd)).toEqual(['LIGHTNING_RATE_URL']);
  const both = { LIGHTNING_RATE_URL: 'https://ticker.example', LIGHTNING_USD_PER_BTC: '1' };
  expect(atFault({ ...lnd, ...both })).toEqual(['LIGHTNING_RATE_URL']);
  expect(atFault({ ...lnd, LND_MACAROON: 'hunter2', LIGHTNING_USD_PER_BTC: '0' }).sort()).toEqual([
    'LIGHTNING_USD_PER_BTC',
    'LND_MACAROON',
  ]);
});

test('models are set up with the server that has them, or refused', () => {
  const AI_URL = 'http://localhost:11434/v1/chat/completions';
  const url = 'http://localhost:11434/v1';
  expect(readConfig({ AI_URL, AI_API_KEY: 'k', AI_TRANSLATE_MODEL: 'words', AI_TIMEOUT_SECONDS: '7' }).ai).toEqual({
    models: { translate: { url, apiKey: 'k', model: 'words' } },
    timeoutMs: 7_000,
  });
  // A key goes to the server that it is for, and to no other.
  const AI_IMAGE_URL = 'https://images.example.com';
  const two = { AI_URL, AI_API_KEY: 'k', AI_MODERATE_MODEL: 'watch', AI_IMAGE_URL, AI_IMAGE_MODEL: 'paint' };
  expect(readConfig(two).ai.models).toEqual({
    moderate: { url, apiKey: 'k', model: 'watch' },
    image: { url: 'https://images.example.com/v1', apiKey: undefined, model: 'paint' },
  });
  expect(atFault({ AI_URL })).toEqual(['AI_TRANSLATE_MODEL,']);
  expect(atFault({ AI_API_KEY: 'k' })).toEqual(['AI_URL']);
  expect(atFault({ AI_IMAGE_MODEL: 'paint' })).toEqual(['AI_URL']);
  expect(atFault({ AI_IMAGE_URL })).toEqual(['AI_IMAGE_MODEL']);
  expect(atFault({ AI_URL: 'https://a.example/v1?api-version=2', AI_IMAGE_MODEL: 'paint' })).toEqual(['AI_URL']);
  expect(atFault({ AI_TIMEOUT_SECONDS: '0' })).toEqual(['AI_TIMEOUT_SECONDS']);
});

test('in production payments go to a wallet that the operator has named, since nobody holds the key of the derived one', () => {
  for (const settling of [
    { X402_SETTLER_KEY: `0x${hexKey}`, RPC_URL_BASE: 'https://rpc.example.com' },
    { X402_FACILITATOR_URL: 'https://facilitator.example.com' },
    // Licences are paid for straight on chain.
    { RPC_URL_POLYGON: 'https://rpc.example.com' },
  ]) {
    expect(readConfig(settling).settlementAddress).toBeUndefined();
    expect(atFault({ ...safeProduction, ...settling })).toEqual(['SETTLEMENT_ADDRESS']);
    const SETTLEMENT_ADDRESS = `0x${'ab'.repeat(20)}`;
    expect(readConfig({ ...safeProduction, ...settling, SETTLEMENT_ADDRESS }).settlementAddress).toBe(
      SETTLEMENT_ADDRESS,
    );
  }
});

test('a settling key of one digit is refused', () => {
  expect(atFault({ X402_SETTLER_KEY: `0x${'1'.repeat(64)}` })).toEqual(['X402_SETTLER_KEY']);
});

test('project servers are read by name', () => {
  const PROJECT_DATABASE_URLS = 'main=postgres://u:p@one/postgres, east=postgresql://u:p,w@two/postgres?a=b=c'.replace(
    ',w',
    '%2Cw',
  );
  expect(readConfig({ PROJECT_DATABASE_URLS }).projectDatabaseUrls).toEqual({
    main: 'postgres://u:p@one/postgres',
    east: 'postgresql://u:p%2Cw@two/postgres?a=b=c',
  });
});

test('the public URL and the domain are kept in one spelling', () => {
  const config = readConfig({ PUBLIC_BASE_URL: 'https://SVC.example.com/', PLATFORM_DOMAIN: 'Apps.Example.com' });
  expect(config).toMatchObject({
    publicBaseUrl: 'https://svc.example.com',
    platformDomain: 'apps.example.com',
    mailFrom: 'svc <no-reply@apps.example.com>',
  });
});

test('the configuration page has a row for every variable, and marks those that hold a secret', () => {
  const page = configurationPage();
  for (const { name, secret } of environmentVariables) {
    expect(page).toMatch(new RegExp(`^\\| \`${name}\`${secret ? ' \\(secret\\)' : ''} \\| .+ \\| .+ \\|$`, 'm'));
  }
});

const acme = {
  id: 'acme',
  issuer: 'https://id.acme.example/realm',
  client_id: 'svc',
  client_secret: 'hunter2, with "quotes"',
  display_name: 'Acme',
};
const providers = (...list: unknown[]) => ({ OIDC_PROVIDERS: JSON.stringify(list) });

test('providers of social sign-in are read, Google first', () => {
  const google = { GOOGLE_CLIENT_ID: 'id.apps.googleusercontent.com', GOOGLE_CLIENT_SECRET: 'GOCSPX-1' };
  expect(readConfig({ ...google, ...providers(acme) }).oidcProviders).toEqual([
    {
      id: 'google',
      issuer: 'https://accounts.google.com',
      clientId: google.GOOGLE_CLIENT_ID,
      clientSecret: 'GOCSPX-1',
      displayName: 'Google',
    },
    { id: 'acme', issuer: acme.issuer, clientId: 'svc', clientSecret: acme.client_secret, displayName: 'Acme' },
  ]);
  const local = { ...acme, id: 'google', issuer: 'http://localhost:3000' };
  expect(readConfig(providers(local)).oidcProviders).toMatchObject([{ id: 'google', issuer: local.issuer }]);
});

test.each([
  ['no JSON', { OIDC_PROVIDERS: 'acme=https://hunter2' }],
  ['no list', { OIDC_PROVIDERS: JSON.stringify(acme) }],
  ['an empty list', providers()],
  ['an unknown member', providers({ ...acme, scope: 'email' })],
  ['a missing secret', providers({ ...acme, client_secret: undefined })],
  ['one id twice', providers(acme, acme)],
  ['an id with capital letters', providers({ ...acme, id: 'Acme' })],
  ['an id with a slash', providers({ ...acme, id: 'a/b' })],
  ['plain http elsewhere', providers({ ...acme, issuer: 'http://id.acme.example' })],
  ['an issuer with a query', providers({ ...acme, issuer: 'https://id.acme.example?a=1' })],
  ['an issuer with credentials', providers({ ...acme, issuer: 'https://a:hunter2@id.acme.example' })],
  ['Google twice', { ...providers({ ...acme, id: 'google' }), GOOGLE_CLIENT_ID: 'a', GOOGLE_CLIENT_SECRET: 'hunter2' }],
  ['plain http in production', { ...safeProduction, ...providers({ ...acme, issuer: 'http://localhost:3000' }) }],
])('providers with %s are refused without showing a value', (_case, env) => {
  expect(atFault(env)).toEqual(['OIDC_PROVIDERS']);
  expect(faults(env).join()).not.toContain('hunter2');
});

test('half of what Google gives is refused by the name of the other half', () => {
  expect(atFault({ GOOGLE_CLIENT_ID: 'a' })).toEqual(['GOOGLE_CLIENT_SECRET']);
  expect(atFault({ GOOGLE_CLIENT_SECRET: 'a' })).toEqual(['GOOGLE_CLIENT_ID']);
});

test('what connections depend on beside their address is passed on to programs, and nothing else is', () => {
  const env = {
    NODE_EXTRA_CA_CERTS: '/ca.pem',
    PGSSLMODE: 'verify-full',
    PGPASSWORD: 'x',
    SVC_DATA_DIR: 'y',
    PATH: '/bin',
  };
  const { NODE_EXTRA_CA_CERTS, PGSSLMODE, PGPASSWORD } = env;
  expect(readConfig(env).connectionEnvironment).toEqual({ NODE_EXTRA_CA_CERTS, PGSSLMODE, PGPASSWORD });
});
