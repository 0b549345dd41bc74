import { randomBytes } from 'node:crypto';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { newId } from '../../core/ids.ts';
import { KeyRing } from '../../core/keys.ts';
import { startEmbeddedPostgres } from '../../db/embedded/start.ts';
import { ensureDatabase } from '../../db/ensure-database.ts';
import { limitWireNames } from '../../kernel/limits/limits.ts';
import { signSessionToken } from '../../resolvers/identity/shared/session-token.ts';
import { gatewayNode, natsServer, type Restartable } from './processes.ts';

/** An installation: Postgres, NATS where there is one, and the nodes. */
export interface World {
  readonly nodes: readonly Restartable[];
  readonly nats: Restartable | undefined;
  readonly org: string;
  readonly authorization: string;
  /** Ids of a room's messages in the room's order. */
  readonly table: (room: string) => Promise<string[]>;
  readonly clear: () => Promise<void>;
}

export async function startWorld(nodeCount: number): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-soak-'));
  // Postgres runs as another user when this runs as root, and has to get in.
  await chmod(folder, 0o755);
  const postgres = await startEmbeddedPostgres({
    dataDir: join(folder, 'data'),
    settings: { fsync: 'off', max_connections: '200' },
  });
  const nodes: Restartable[] = [];
  const nats = await natsServer();
  let pool: pg.Pool | undefined;
  let cleared: Promise<void> | undefined;
  const clear = () =>
    (cleared ??= (async () => {
      await Promise.all([...nodes, ...(nats === undefined ? [] : [nats])].map((one) => one.kill()));
      await pool?.end();
      await postgres.stop();
      for (const path of [postgres.dataDir, folder]) await rm(path, { recursive: true, force: true, maxRetries: 5 });
    })());
  try {
    const databaseUrl = await ensureDatabase(postgres.url, 'svc');
    const root = randomBytes(32);
    const adminKey = randomBytes(24).toString('base64url');
    await nats?.start();
    const env = {
      DATABASE_URL: databaseUrl,
      SVC_SECRET_KEY: root.toString('hex'),
      SVC_ADMIN_KEY: adminKey,
      ...(nats === undefined ? {} : { NATS_URL: nats.url }),
    };
    for (let n = 1; n <= nodeCount; n++) {
      const own = join(folder, `node-${n}`);
      await mkdir(own);
      nodes.push(await gatewayNode(env, own));
    }
    await Promise.all(nodes.map((node) => node.start()));
    const database = new pg.Pool({ connectionString: databaseUrl, max: 2 });
    pool = database;
    // Its connections are ended with the server.
    database.on('error', () => {});
    const authorization = await signIn(database, root);
    const org = await makeOrg(nodes[0]!.url, authorization, adminKey);
    return {
      nodes,
      nats,
      org,
      authorization,
      table: async (room) => {
        const { rows } = await database.query<{ id: string }>(
          'select id from room_messages where org_id = $1 and room_key = $2 order by seq',
          [org, room],
        );
        return rows.map(({ id }) => id);
      },
      clear,
    };
  } catch (error) {
    await clear();
    throw error;
  }
}

/** A person with a session, as signing in by a browser would make it. */
async function signIn(pool: pg.Pool, root: Buffer): Promise<string> {
  const principalId = newId('prn');
  await pool.query(`insert into principals (id, type) values ($1, 'human')`, [principalId]);
  const id = newId('ses');
  const now = new Date();
  const seconds = Math.floor(now.getTime() / 1000);
  const amrTimes = { email: seconds, passkey: seconds };
  await pool.query(
    `insert into sessions (id, kind, principal_id, provenance, amr_times, absolute_expires_at)
     values ($1, 'control_plane', $2, 'loopback_pkce', $3, now() + interval '12 hours')`,
    [id, principalId, JSON.stringify(amrTimes)],
  );
  const session = { id, kind: 'control_plane', subject: principalId, provenance: 'loopback_pkce', amrTimes } as const;
  return `Bearer ${await signSessionToken(new KeyRing(root), session, now)}`;
}

/** An organization that may send as much as it likes. */
async function makeOrg(url: string, authorization: string, adminKey: string): Promise<string> {
  const post = async (path: string, headers: Record<string, string>, body: object) => {
    const response = await fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text}`);
    return JSON.parse(text);
  };
  const { org_id } = await post('/orgs/v1', { authorization }, {});
  const rates = Object.values(limitWireNames).filter((name) => /(_per_second|_per_day|_burst)$/.test(name));
  const limits = Object.fromEntries(rates.map((name) => [name, 1e9]));
  await post(`/orgs/v1/admin/${org_id}/limits`, { 'x-admin-key': adminKey }, { limits });
  return org_id;
}
