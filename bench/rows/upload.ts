import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { open, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { contentFile } from '../../clients/sdk/src/content-file.ts';
import { inParallel } from '../../core/in-parallel.ts';
import { environmentOf, startS3Server } from '../../test/helpers/s3-server.ts';
import { createWallet } from '../../test/helpers/wallet.ts';
import { type Installation, startInstallation } from '../installation.ts';
import { residentKiB, type Server } from '../processes.ts';
import { median, medianRatio, timed } from '../race.ts';
import { atLeast, atMost, type Line, line } from '../report.ts';
import { ask, type Stage } from '../stage.ts';

const mebibyte = 1024 * 1024;
/** As the gateway cuts what is larger than 64 MiB. */
const partBytes = 16 * mebibyte;
const sentAtOnce = 4;

interface Source {
  readonly path: string;
  readonly size: number;
  readonly sha256: string;
}

interface Round {
  readonly megabytesPerSecond: number;
  /** Memory of the gateway: the most that it held meanwhile, and what it held before. */
  readonly peakMiB: number;
  readonly beforeMiB: number;
}

/**
 * An object in parts, from the plan to the answer of the commit, against `cp` and `sha256sum` of the same file; and what
 * memory the gateway takes meanwhile, with the store in files and in a bucket.
 */
export async function upload({ options, say }: Stage): Promise<Line[]> {
  const { uploadMegabytes } = options.sizes;
  const size = uploadMegabytes * mebibyte;
  const name = `an object of ${uploadMegabytes.toLocaleString('en-US')} MiB`;
  const files = await startInstallation();
  try {
    const path = join(files.folder, 'source');
    const put = await uploaderOf(files);
    const rounds: (Round & { readonly copied: number })[] = [];
    for (let round = 0; round < options.rounds; round++) {
      say(`uploading ${uploadMegabytes} MiB`);
      const source = await makeSource(path, size);
      const copied = size / 1e3 / (await timed(() => copyAndHash(path)));
      rounds.push({ ...(await put(source)), copied });
    }
    const ours = rounds.map((one) => one.megabytesPerSecond);
    const copied = rounds.map((one) => one.copied);
    const fast = line({
      row: 'upload',
      name: `${name}, in files : cp and sha256sum`,
      unit: 'MB/s',
      ours: median(ours),
      reference: median(copied),
      ratio: medianRatio(ours, copied),
      target: atLeast(0.6),
      rounds,
    });
    return [fast, memory(`${name}, in files`, rounds), memory(`${name}, in a bucket`, await intoBucket(path, size))];
  } finally {
    await files.stop();
  }
}

const memory = (name: string, rounds: readonly Round[]) =>
  line({
    row: 'upload',
    name: `peak memory of the gateway, ${name} : before it`,
    unit: 'MiB',
    ours: median(rounds.map(({ peakMiB }) => peakMiB)),
    reference: median(rounds.map(({ beforeMiB }) => beforeMiB)),
    target: atMost(512),
    rounds,
  });

/** By the S3 server of the tests, which answers in this process: how fast it is says nothing of any other. */
async function intoBucket(path: string, size: number): Promise<Round[]> {
  const s3 = await startS3Server();
  const installation = await startInstallation({ env: environmentOf(s3) });
  try {
    const put = await uploaderOf(installation);
    return [await put(await makeSource(path, size))];
  } finally {
    await installation.stop();
    await s3.stop();
  }
}

/** An object that no store has yet. */
async function makeSource(path: string, size: number): Promise<Source> {
  const piece = randomBytes(partBytes);
  const hash = createHash('sha256');
  const file = await open(path, 'w');
  try {
    for (let at = 0; at < size; at += partBytes) {
      piece.writeBigUInt64LE(BigInt(at), 0);
      const bytes = piece.subarray(0, Math.min(partBytes, size - at));
      hash.update(bytes);
      await file.write(bytes);
    }
  } finally {
    await file.close();
  }
  return { path, size, sha256: hash.digest('hex') };
}

async function copyAndHash(path: string): Promise<void> {
  const copy = `${path}-copy`;
  await promisify(execFile)('sh', ['-c', 'cp "$0" "$1" && sync "$1" && sha256sum "$1"', path, copy]);
  await rm(copy);
}

/** Makes a project, and uploads into it. */
async function uploaderOf({ gateway, databaseUrl }: Installation): Promise<(source: Source) => Promise<Round>> {
  const wallet = createWallet();
  const call = async <Answer>(path: string, body: object): Promise<Answer> => {
    const signed = await wallet.header({ baseUrl: gateway.url, path });
    const headers = { 'content-type': 'application/json', 'sign-in-with-x': signed };
    return JSON.parse(await ask(gateway, { method: 'POST', path, headers, body: JSON.stringify(body) })) as Answer;
  };
  const { org_id: orgId } = await call<{ org_id: string }>('/orgs/v1', {});
  await raiseStorage(databaseUrl, orgId);
  const { project_id: project } = await call<{ project_id: string }>('/projects/v1', { org_id: orgId, name: 'bench' });
  return async ({ path, size, sha256 }) => {
    await forgetPeak(gateway);
    const before = await residentKiB(gateway.pid);
    const tookMs = await timed(async () => {
      const plan = await call<Plan>('/content/v1/plans', { content: [{ sha256, size }], project_id: project });
      const whole = await contentFile(path);
      await inParallel(plan.missing[0]!.parts, sentAtOnce, async ({ url, byte_start, byte_end }) => {
        const body = whole.slice(byte_start, byte_end + 1).stream();
        const { status } = await fetch(url, { method: 'PUT', body, duplex: 'half' } as RequestInit);
        if (status !== 200) throw new Error(`A part was answered ${status}.`);
      });
      await call(`/content/v1/plans/${plan.plan_id}/commit`, { project_id: project });
    });
    return {
      megabytesPerSecond: size / 1e3 / tookMs,
      peakMiB: (await peakKiB(gateway)) / 1024,
      beforeMiB: before / 1024,
    };
  };
}

interface Plan {
  readonly plan_id: string;
  readonly missing: readonly {
    readonly parts: readonly { readonly url: string; readonly byte_start: number; readonly byte_end: number }[];
  }[];
}

async function raiseStorage(databaseUrl: string, orgId: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const raised = { storageBytes: Number.MAX_SAFE_INTEGER };
  await client.query('update orgs set limit_overrides = $2 where id = $1', [orgId, raised]);
  await client.end();
}

/** The system notes the most that a process held, until it is told to begin anew. */
const forgetPeak = ({ pid }: Server) => writeFile(`/proc/${pid}/clear_refs`, '5');

async function peakKiB({ pid }: Server): Promise<number> {
  const text = await readFile(`/proc/${pid}/status`, 'latin1');
  return Number(/VmHWM:\s+(\d+) kB/.exec(text)?.[1] ?? Number.NaN);
}
