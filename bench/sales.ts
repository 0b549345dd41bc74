import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureDatabase } from '../db/ensure-database.ts';
import { type Chain, startChain } from '../test/helpers/chain.ts';
import { startSites } from '../test/helpers/site-server.ts';
import { type Server, startServer } from './processes.ts';
import type { Stage } from './stage.ts';

/** A gateway that sells for a chain of this machine, and sites for it to audit. */
export interface Sales {
  readonly gateway: Server;
  readonly chain: Chain;
  /** Sites with a page each; none may be fetched from more than a few times a minute. */
  readonly hosts: readonly string[];
}

/** A client's address for each request, so that none uses up what one may ask. */
export const fromAnywhere = (nth: number): Readonly<Record<string, string>> => ({
  'x-forwarded-for': `10.${(nth >> 16) & 255}.${(nth >> 8) & 255}.${nth & 255}`,
});

/** Sells while `run` runs: a gateway of its own on a database of its own, since no setting of the other's leads to sites here. */
export async function whileSelling<Result>(
  { databaseUrl, options: { profile } }: Stage,
  sites: number,
  run: (sales: Sales) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-bench-sales-'));
  await chmod(folder, 0o755);
  const hosts = Array.from({ length: sites }, (_one, at) => `s${at}.audit-sites.net`);
  const served = await startSites(
    Object.fromEntries(hosts.map((host) => [host, { '/': `<title>${host}</title><h1>A page</h1>` }])),
  );
  const chain = await startChain();
  let gateway: Server | undefined;
  try {
    gateway = await startServer(
      '../test/helpers/trial-gateway.ts',
      {
        DATABASE_URL: await ensureDatabase(databaseUrl, `svc_sales_${randomBytes(6).toString('hex')}`),
        PORT: '0',
        LOG_LEVEL: 'warn',
        SVC_DATA_DIR: folder,
        SVC_ADMIN_KEY: randomBytes(24).toString('base64url'),
        SVC_SECRET_KEY: randomBytes(32).toString('hex'),
        TRUSTED_PROXIES: '127.0.0.1/32',
        SETTLEMENT_ADDRESS: '0x00000000000000000000000000000000000A0d17',
        X402_SETTLER_KEY: chain.settlerKey,
        RPC_URL_BASE: chain.rpcUrl,
        TRIAL: JSON.stringify({ hosts: [...served.trial.hosts], ca: served.trial.ca }),
      },
      folder,
      profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`],
    );
    return await run({ gateway, chain, hosts });
  } finally {
    await gateway?.stop();
    await chain.stop();
    served.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
