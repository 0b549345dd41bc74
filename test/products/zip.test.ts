import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { unzipSync } from 'fflate';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { manifestEntries, sha256Of, textFile } from '../../engines/bundles/bundle-file.ts';
import { csv } from '../../engines/bundles/csv.ts';
import { zip } from '../../engines/bundles/zip.ts';

const run = promisify(execFile);
const project = fileURLToPath(new URL('../..', import.meta.url));

/** Text that packs well, text that does not, and an empty file. */
const texts: Readonly<Record<string, string>> = {
  'z.txt': 'the last',
  'b/two.txt': Array.from({ length: 5_000 }, (_, line) => `${line} ${(line * 7919) % 10_007}`).join('\n'),
  'README.md': '# Über\r\nlines\r\n',
  'b/one.txt': 'x'.repeat(100_000),
  'empty.txt': '',
};
const files = Object.entries(texts).map(([path, text]) => textFile(path, text));

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-zip-'));
  await mkdir(join(folder, 'node_modules'));
  await cp(join(project, 'node_modules/fflate'), join(folder, 'node_modules/fflate'), { recursive: true });
  // Older runtimes read no types.
  for (const name of ['bundle-file', 'zip']) {
    const text = await readFile(join(project, `engines/bundles/${name}.ts`), 'utf8');
    const plain = stripTypeScriptTypes(text).replaceAll("bundle-file.ts'", "bundle-file.mjs'");
    await writeFile(join(folder, `${name}.mjs`), plain);
  }
  await writeFile(
    join(folder, 'pack.mjs'),
    `import { sha256Of, textFile } from './bundle-file.mjs';
     import { zip } from './zip.mjs';
     const files = Object.entries(${JSON.stringify(texts)}).map(([path, text]) => textFile(path, text));
     console.log(sha256Of(zip(files)));`,
  );
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** What a process of its own makes of the same files. */
async function hashBy(node: string, timeZone: string): Promise<string> {
  const { stdout } = await run(node, ['pack.mjs'], { cwd: folder, env: { TZ: timeZone } });
  return stdout.trim();
}

/** Every Node.js that this machine has, by its version. */
async function runtimes(): Promise<ReadonlyMap<string, string>> {
  const found = new Map([[process.version, process.execPath]]);
  for (const place of (process.env.PATH ?? '').split(delimiter)) {
    const node = join(place, 'node');
    const version = await run(node, ['--version']).then(
      ({ stdout }) => stdout.trim(),
      () => undefined,
    );
    // What the project runs on at all.
    if (Number(version?.slice(1).split('.')[0]) >= 20 && !found.has(version!)) found.set(version!, node);
  }
  return found;
}

test('the same files are the same archive in every time zone and on every runtime', async () => {
  const expected = sha256Of(zip(files));
  const told: Record<string, string> = {};
  for (const [version, node] of await runtimes()) {
    for (const timeZone of ['UTC', 'Asia/Kathmandu', 'Pacific/Auckland', 'America/St_Johns'])
      told[`${version} ${timeZone}`] = await hashBy(node, timeZone);
  }
  console.log(`archives of ${Object.keys(told).join(', ')} are the same`);
  expect(new Set(Object.values(told))).toEqual(new Set([expected]));
});

test('midnight of 1 January 1980 is one in every time zone', () => {
  const before = process.env.TZ;
  try {
    const others = Intl.supportedValuesOf('timeZone').filter((timeZone) => {
      process.env.TZ = timeZone;
      const time = new Date(1980, 0, 1);
      return time.getFullYear() !== 1980 || time.getHours() !== 0 || time.getMinutes() !== 0;
    });
    expect(others).toEqual([]);
  } finally {
    if (before === undefined) delete process.env.TZ;
    else process.env.TZ = before;
  }
});

test('the order in which files are given does not matter, and their text is read back', () => {
  const archive = zip(files);
  expect(zip(files.toReversed())).toEqual(archive);
  const read = unzipSync(archive);
  expect(Object.keys(read)).toEqual(['README.md', 'b/one.txt', 'b/two.txt', 'empty.txt', 'z.txt']);
  expect(new TextDecoder().decode(read['README.md'])).toBe('# Über\nlines\n');
  expect(new TextDecoder().decode(read['z.txt'])).toBe('the last\n');
  expect(manifestEntries(files).map(({ path, bytes }) => [path, bytes])).toEqual(
    Object.entries(read).map(([path, bytes]) => [path, bytes.length]),
  );
});

test('entries have the fixed time and mode, and nothing beside their content', () => {
  const bytes = Buffer.from(zip([textFile('a/b.txt', 'text')]));
  const central = bytes.indexOf(Buffer.from('504b0102', 'hex'));
  const header = {
    madeOn: bytes.readUInt8(central + 5),
    flags: bytes.readUInt16LE(central + 8),
    time: bytes.readUInt16LE(central + 12),
    date: bytes.readUInt16LE(central + 14),
    extra: bytes.readUInt16LE(central + 30),
    comment: bytes.readUInt16LE(central + 32),
    mode: bytes.readUInt32LE(central + 38) >>> 16,
  };
  expect(header).toEqual({
    madeOn: 3,
    flags: 0,
    time: 0,
    date: 0b0000000_0001_00001,
    extra: 0,
    comment: 0,
    mode: 0o100644,
  });
  expect(bytes.readUInt16LE(28)).toBe(0);
});

test.each(['/etc/passwd', '../up.txt', 'a/../b', 'a//b', './a', 'a\\b', 'C:a', 'é.txt', 'with space', '', 'a/'])(
  'an archive has no path like %j',
  (path) => {
    expect(() => zip([{ path, bytes: Buffer.from('x') }])).toThrow(RangeError);
  },
);

test('no cell of a table is run by a spreadsheet', () => {
  const rows = [
    ['=1+1', '+1', '-1', '@SUM(A1)', '\tx', '\rx'],
    ['a,b', 'say "no"', 'two\nlines', 'plain', 7, -7],
  ] as const;
  expect(csv(rows)).toBe(`'=1+1,'+1,'-1,'@SUM(A1),'\tx,"'\rx"\n"a,b","say ""no""","two\nlines",plain,7,-7\n`);
});
