import { execFile, execFileSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { bare, checkout } from './checkout.ts';

// The image of the Dockerfile, as far as it is seen without Docker: what its stages copy, and what they make of it.

interface Stage {
  /** What is copied from the checkout, with where to. */
  readonly copies: readonly { readonly source: string; readonly target: string }[];
  readonly runs: readonly string[];
}

/** Stages of the Dockerfile by name; the last one, which has none, is the image. */
async function stagesOf(): Promise<Record<string, Stage>> {
  const lines = (await readFile(join(checkout, 'Dockerfile'), 'utf8')).replaceAll(/\\\n\s*/g, ' ').split('\n');
  const stages: Record<string, { copies: { source: string; target: string }[]; runs: string[] }> = {};
  let stage = { copies: [] as { source: string; target: string }[], runs: [] as string[] };
  for (const line of lines) {
    const [word, ...rest] = line.trim().split(/\s+/);
    if (word === 'FROM') {
      stage = { copies: [], runs: [] };
      stages[rest[1] === 'AS' ? rest[2]! : 'image'] = stage;
    }
    if (word === 'RUN') stage.runs.push(rest.join(' '));
    if (word !== 'COPY' || rest[0]!.startsWith('--from')) continue;
    const target = rest.at(-1)!;
    for (const source of rest.slice(0, -1))
      stage.copies.push({ source, target: target.endsWith('/') ? join(target, source) : target });
  }
  return stages;
}

test('what the stages of the image copy is there, and is let through to them', async () => {
  const ignore = (await readFile(join(checkout, '.dockerignore'), 'utf8')).split('\n');
  const sources = Object.values(await stagesOf()).flatMap(({ copies }) => copies.map(({ source }) => source));
  expect(sources.length).toBeGreaterThan(30);
  for (const source of sources) {
    await expect(stat(join(checkout, source)), source).resolves.toBeDefined();
    expect(ignore, source).toContain(`!${source.split('/')[0]}`);
  }
});

test('all of the project is in the image, but for what tells git what to leave out', async () => {
  let tracked: string[];
  try {
    tracked = execFileSync('git', ['ls-files', '-z'], { cwd: checkout, encoding: 'utf8', stdio: 'pipe' }).split('\0');
  } catch {
    // An installation from an archive has no history to compare with.
    tracked = ['.gitignore', 'package.json', 'server/main.ts'];
  }
  const copied = new Set((await stagesOf()).image!.copies.map(({ source }) => source));
  const names = new Set(tracked.filter(Boolean).map((path) => path.split('/')[0]!));
  expect([...names].filter((name) => !copied.has(name))).toEqual(['.gitignore']);
});

test('the stage of the console builds it from what is copied there', async () => {
  const { copies, runs } = (await stagesOf()).console!;
  const folder = await mkdtemp(join(tmpdir(), 'svc-image-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const { source, target } of copies) {
    await mkdir(join(folder, target, '..'), { recursive: true });
    const isBuilt = (path: string) => path.startsWith(join(checkout, 'clients/console/dist'));
    await cp(join(checkout, source), join(folder, target), { recursive: true, filter: (path) => !isBuilt(path) });
  }
  await symlink(join(checkout, 'node_modules'), join(folder, 'node_modules'));
  const [install, build, ...others] = runs;
  expect([install, others]).toEqual(['npm ci --ignore-scripts', []]);
  const [node] = bare();
  expect(build).toMatch(/^node \S+/);
  await promisify(execFile)(node, build!.split(' ').slice(1), { cwd: folder });
  expect(await readFile(join(folder, 'clients/console/dist/index.html'), 'utf8')).toContain('/console/assets/');
});
