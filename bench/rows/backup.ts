import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { constants, createZstdCompress } from 'node:zlib';
import pg from 'pg';
import { to } from 'pg-copy-streams';
import { createWallet } from '../../test/helpers/wallet.ts';
import { startInstallation } from '../installation.ts';
import { median, medianRatio, percentile, timed } from '../race.ts';
import { atMost, type Line, line } from '../report.ts';
import { makeProject, type RowProject } from '../row-project.ts';
import { ask, type Stage } from '../stage.ts';

const rowBytes = 1_000;
/** Between two reads of a row, in milliseconds: the reads are to be few beside the backup. */
const pauseMs = 10;

/** Rows of 1 KB, an eighth of it digits that no compression makes shorter than by half. */
const filling = (rows: number) => `
  create table filled as select n as id, md5(n::text) || md5(n || 'a') || md5(n || 'b') || md5(n || 'c')
    || rpad('', ${rowBytes - 128}, 'The quick brown fox jumps over the lazy dog. ') as text from generate_series(1, ${rows}) n;
  alter table filled add primary key (id);
  grant select on filled to service_role;
`;

/**
 * `svc backup` of an installation with one large project, against reading the rows of that project by COPY alone; and how
 * long a row is waited for meanwhile. It has a server of its own: seeded projects have no databases to save.
 */
export async function backup({ options, say }: Stage): Promise<Line[]> {
  const installation = await startInstallation({ settings: { max_wal_size: '2GB' } });
  try {
    const { folder, databaseUrl, root, environment, gateway } = installation;
    const wallet = createWallet();
    const headers = { 'sign-in-with-x': await wallet.header({ baseUrl: gateway.url, path: '/orgs/v1' }) };
    const json = { ...headers, 'content-type': 'application/json' };
    const org = await ask(gateway, { method: 'POST', path: '/orgs/v1', headers: json, body: '{}' });
    const { org_id: writtenOrgId } = JSON.parse(org) as { org_id: string };
    const { backupMegabytes } = options.sizes;
    say(`filling a project with ${backupMegabytes} MB`);
    const rows = Math.ceil((backupMegabytes * 1_000_000) / rowBytes);
    const place = { url: gateway.url, databaseUrl, root };
    const project = await makeProject(place, { wallet, writtenOrgId }, filling(rows));

    let runs = 0;
    const save = () => saveInto(join(folder, `backups-${++runs}`), environment);
    // Read once before, so that neither has the disk to itself.
    await readRows(project, dropped());
    const rounds: { readonly ours: number; readonly read: number; readonly written: number }[] = [];
    for (let round = 0; round < options.rounds; round++)
      rounds.push({
        ours: await seconds(save),
        read: await seconds(() => readRows(project, dropped())),
        written: await seconds(() => readRows(project, ...compressedInto(join(folder, 'rows.zst')))),
      });
    const ours = rounds.map((one) => one.ours);
    const against = (name: string, reference: readonly number[], target?: number) =>
      line({
        row: 'backup',
        name: `\`svc backup\` of ${backupMegabytes} MB : ${name}`,
        unit: 's',
        ours: median(ours),
        reference: median(reference),
        ratio: medianRatio(ours, reference),
        ...(target === undefined ? {} : { target: atMost(target) }),
        rounds,
      });

    const read = (n: number) =>
      ask(gateway, {
        method: 'GET',
        path: `/admin/v1/rest/filled?select=text&id=eq.${1 + ((n * 7919) % rows)}`,
        headers: { apikey: project.serviceKey },
      });
    const idle = await waitsDuring(read, () => sleep(median(ours) * 1000));
    const during = await waitsDuring(read, save);
    return [
      against(
        'COPY of the same rows, read and dropped',
        rounds.map(({ read }) => read),
        1.2,
      ),
      against(
        'COPY of the same rows, compressed into a file',
        rounds.map(({ written }) => written),
      ),
      ...([50, 99] as const).map((percent) =>
        line({
          row: 'backup',
          name: `p${percent} of a row read during a backup : without one`,
          unit: 'ms',
          ours: percentile(during, percent),
          reference: percentile(idle, percent),
          ratio: percentile(during, percent) / percentile(idle, percent),
        }),
      ),
    ];
  } finally {
    await installation.stop();
  }
}

/** One run of the program behind `svc backup`, which is there as a whole when it ends. */
async function saveInto(folder: string, environment: Readonly<Record<string, string>>): Promise<void> {
  const program = fileURLToPath(new URL('../../server/backup.ts', import.meta.url));
  const child = spawn(process.execPath, [program, folder], {
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`The backup ended with ${code}.`);
  // The next one stores all of it again, and the disk is not measured by how full it is.
  await rm(folder, { recursive: true });
}

const seconds = async (work: () => Promise<unknown>): Promise<number> => (await timed(work)) / 1000;

/** Where bytes go that are only to be read. */
const dropped = () => new Writable({ write: (_chunk, _encoding, done) => done() });

/** As pg_dump would keep them, by the compression that backups have. */
const compressedInto = (path: string) => [
  createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: 1 } }),
  createWriteStream(path, { flush: true }),
];

async function readRows({ adminUrl, database }: RowProject, ...into: readonly NodeJS.WritableStream[]): Promise<void> {
  const url = new URL(adminUrl);
  url.pathname = `/${database.databaseName}`;
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  try {
    await pipeline([client.query(to('copy filled to stdout')), ...into]);
  } finally {
    await client.end();
  }
}

/** How long answers take that are asked for one after the other until some work is done, in milliseconds. */
async function waitsDuring(read: (n: number) => Promise<unknown>, work: () => Promise<unknown>): Promise<number[]> {
  let isDone = false;
  const done = work().finally(() => {
    isDone = true;
  });
  const waits: number[] = [];
  while (!isDone) {
    waits.push(await timed(() => read(waits.length)));
    await sleep(pauseMs);
  }
  await done;
  return waits;
}
