import { execFile, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { deploy as deployBySdk } from '../../clients/sdk/src/deploy/index.ts';
import { type Connection, connect } from '../../clients/sdk/src/index.ts';
import { median, medianRatio, timed } from '../race.ts';
import { atMost, type Line, line } from '../report.ts';
import { makeSite } from '../site.ts';
import type { Stage } from '../stage.ts';

const fileCount = 1_000;
const changedCount = 100;
/** Files of a built documentation site are about so long on average, in bytes. */
const fileBytes = 8_000;
/** One round takes half a second: more of them make up for what disturbs one. */
const perRound = 5;

/**
 * A folder of 1,000 files deployed again by the SDK, from its files until the release is live, unchanged and with 100 of
 * them changed, against `rsync` of the same folder into a copy. rsync looks at lengths and times of files alone unless it
 * is told to compare their bytes, as a deploy does.
 */
export async function deploy(stage: Stage): Promise<Line[]> {
  if (spawnSync('rsync', ['--version']).status !== 0) {
    stage.say('deploy is skipped: rsync is not installed (apt-get install rsync)');
    return [];
  }
  const folder = await mkdtemp(join(tmpdir(), 'svc-bench-deploy-'));
  try {
    const tree = join(folder, 'tree');
    await write(tree, 0, fileCount);
    const { project_id: project } = await makeSite(stage);
    const connection = connectAs(stage);
    const put = () => deployFolder(connection, project, tree);
    const first = await timed(put);
    const copies = { times: join(folder, 'by-times'), bytes: join(folder, 'by-bytes') };
    const byTimes = () => timed(() => rsync(tree, copies.times));
    const byBytes = () => timed(() => rsync(tree, copies.bytes, '--checksum'));
    const firstCopy = await byTimes();
    await byBytes();
    const lines: Line[] = [
      line({
        row: 'deploy',
        name: `the first deploy of ${fileCount.toLocaleString('en-US')} files : rsync`,
        unit: 'ms',
        ours: first,
        reference: firstCopy,
        ratio: first / firstCopy,
      }),
    ];
    for (const [what, changed] of [
      ['unchanged files', 0],
      [`files, ${changedCount} of them changed`, changedCount],
    ] as const) {
      const rounds: { readonly ours: number; readonly times: number; readonly bytes: number }[] = [];
      // The first one finds nothing warm, and does not count.
      for (let round = 0; round <= stage.options.rounds * perRound; round++) {
        await write(tree, round * changed, changed);
        const one = { ours: await timed(put), times: await byTimes(), bytes: await byBytes() };
        if (round > 0) rounds.push(one);
      }
      const of = (which: 'ours' | 'times' | 'bytes') => rounds.map((one) => one[which]);
      const against = (which: 'times' | 'bytes', by: string) =>
        line({
          row: 'deploy',
          name: `a deploy of ${fileCount.toLocaleString('en-US')} ${what} : ${by}`,
          unit: 'ms',
          ours: median(of('ours')),
          reference: median(of(which)),
          ratio: medianRatio(of('ours'), of(which)),
          target: atMost(3),
          rounds,
        });
      lines.push(against('bytes', 'rsync --checksum'), against('times', 'rsync'));
    }
    return lines;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const connectAs = ({ gateway: { url: baseUrl }, dataset: { wallet } }: Stage): Connection =>
  connect({
    baseUrl,
    credential: { headers: async ({ path }) => ({ 'sign-in-with-x': await wallet.header({ baseUrl, path }) }) },
  });

async function deployFolder(connection: Connection, project: string, path: string): Promise<void> {
  const spec = { site: { replace: { __source: 'local-dir', path } } };
  await deployBySdk(connection, project, spec, { allowWarnings: true });
}

const rsync = (from: string, to: string, ...flags: readonly string[]) =>
  promisify(execFile)('rsync', ['-a', '--delete', ...flags, `${from}/`, to]);

/** Writes some of the files of a tree anew, with bytes that no file had before. */
async function write(tree: string, from: number, count: number): Promise<void> {
  for (let at = from; at < from + count; at++) {
    const place = at % fileCount;
    const path = join(tree, `section-${place % 40}`, `page-${place}.html`);
    await mkdir(dirname(path), { recursive: true });
    const bytes = randomBytes((fileBytes / 2) * (0.25 + (place % 7) / 4));
    await writeFile(path, `<!doctype html><title>${place}</title>${bytes.toString('hex')}`);
  }
}
