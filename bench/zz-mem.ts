import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startEmbeddedPostgres } from '../db/embedded/start.ts';
import { ensureDatabase } from '../db/ensure-database.ts';
import { startServer, startWorker, stopAll, residentKiB } from './processes.ts';
import { seed } from './seed.ts';
const N = Number(process.argv[2] ?? 1000);
const folder = await mkdtemp('/tmp/svc-bench-');
await chmod(folder, 0o755);
const postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'data'), settings: { synchronous_commit: 'off', max_connections: '200' } });
try {
  const databaseUrl = await ensureDatabase(postgres.url, 'svc');
  const root = randomBytes(32); const adminKey = 'x'.repeat(30);
  const gateway = await startServer('../server/main.ts', { DATABASE_URL: databaseUrl, PORT: '0', LOG_LEVEL: 'warn', SVC_DATA_DIR: join(folder, 'gateway'), SVC_ADMIN_KEY: adminKey, SVC_SECRET_KEY: root.toString('hex') }, folder, ['--heapsnapshot-signal=SIGUSR2', '--diagnostic-dir=/tmp/fo-heap', '--expose-gc']);
  const dataset = await seed({ organizations: 5, projects: 10, messages: 100 }, { url: gateway.url, databaseUrl, root, adminKey });
  const { writtenOrgId: org, authorization } = dataset as any;
  const query = `subscription ($org: ID!, $room: String!) { roomMessages(org: $org, room: $room) { cursor message { messageId body } } }`;
  const crowd = startWorker<any, any>('subscribers.ts');
  const connect = (sockets: number) => crowd.ask({ do: 'connect', url: `${gateway.url.replace('http', 'ws')}/graphql`, sockets, graphql: { authorization, query, variables: { org, room: 'memory' } } });
  await connect(500); await sleep(3000);
  const shot = async () => { const before = new Set(await readdir('/tmp/fo-heap')); process.kill(gateway.pid, 'SIGUSR2'); for (;;) { await sleep(1000); const now = (await readdir('/tmp/fo-heap')).filter((f) => !before.has(f)); if (now.length) { await sleep(8000); return '/tmp/fo-heap/' + now[0]; } } };
  const a = await shot(); const ra = await residentKiB(gateway.pid);
  await connect(N); await sleep(3000);
  const rb = await residentKiB(gateway.pid);
  const b = await shot(); const rc = await residentKiB(gateway.pid);
  console.log('rss', ra, rb, rc, 'per socket KiB', (rb - ra) / N, (rc - ra) / N);
  const read = async (f: string) => { const s = JSON.parse(await readFile(f, 'utf8')); const m = s.snapshot.meta; const fields = m.node_fields as string[]; const W = fields.length; const types = m.node_types[0]; const by = new Map<string, [number, number]>(); const ti = fields.indexOf('type'), ni = fields.indexOf('name'), si = fields.indexOf('self_size');
    for (let i = 0; i < s.nodes.length; i += W) { const t = types[s.nodes[i + ti]]; let n = s.strings[s.nodes[i + ni]]; if (t === 'string' || t === 'concatenated string' || t === 'sliced string') n = n.slice(0, 60); if (t==='code') n=''; const k = `${t}:${String(n).slice(0, 70)}`; const e = by.get(k) ?? [0, 0]; e[0]++; e[1] += s.nodes[i + si]; by.set(k, e); } return by; };
  const [x, y] = [await read(a), await read(b)];
  const rows = [...y].map(([k, [c, z]]) => { const [c0, z0] = x.get(k) ?? [0, 0]; return [k, (c - c0) / N, (z - z0) / N] as const; }).filter((r) => r[2] > 15).sort((p, q) => q[2] - p[2]);
  let sum = 0; for (const [k, [c, z]] of y) { const [, z0] = x.get(k) ?? [0, 0]; sum += (z - z0) / N; }
  console.log('total heap bytes per socket', sum);
  for (const r of rows.slice(0, 90)) console.log(r[2].toFixed(0).padStart(6), r[1].toFixed(2).padStart(7), r[0]);
  await crowd.ask({ do: 'close' }); await crowd.stop();
} finally { await stopAll(); await postgres.stop(); await rm(folder, { recursive: true, force: true }); }
process.exit(0);
