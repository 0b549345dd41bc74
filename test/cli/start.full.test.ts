import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fromSources, terminal } from './command.ts';

/** The command's own modules that a call loads, as the engine saw them. */
async function loaded(...words: string[]): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-loaded-'));
  const ada = await terminal('http://127.0.0.1:9', fromSources);
  await ada.with({ NODE_V8_COVERAGE: folder })(...words);
  const modules = new Set<string>();
  for (const name of await readdir(folder)) {
    const { result } = JSON.parse(await readFile(join(folder, name), 'utf8')) as { result: { url: string }[] };
    for (const { url } of result) {
      const own = /\/clients\/(cli\/src|sdk\/src)\/(.+)$/.exec(url);
      if (own !== null) modules.add(`${own[1] === 'sdk/src' ? 'sdk/' : ''}${own[2]}`);
      else if (/\/node_modules\//.test(url)) modules.add('a package');
    }
  }
  await Promise.all([rm(folder, { recursive: true }), ada.remove()]);
  return [...modules].sort();
}

const frame = [
  ...['arguments.ts', 'command.ts', 'directory.ts', 'exact-json.ts', 'failure.ts', 'main.ts', 'retired.ts', 'run.ts'],
  'sdk/exact-json.ts',
];

test('the version needs no module but the first', async () => {
  expect(await loaded('--version')).toEqual(['main.ts']);
});

test('the first page loads no group', async () => {
  expect(await loaded('--help')).toEqual([...frame, 'help.ts'].sort());
});

test('a group’s page loads that group alone, no package, and neither sockets nor signatures', async () => {
  const modules = await loaded('messages', 'send', '--help');
  expect(modules.filter((name) => name.startsWith('groups/'))).toEqual(['groups/messages.ts']);
  expect(modules).not.toContain('a package');
  for (const late of [
    'net/signing.ts',
    'net/siwx.ts',
    'net/x402.ts',
    'net/loopback.ts',
    'sdk/socket.ts',
    'sdk/subscribe.ts',
    'human.ts',
  ])
    expect(modules).not.toContain(late);
});

test('what needs no key signs nothing', async () => {
  expect(await loaded('wallets', 'current')).not.toContain('a package');
  expect(await loaded('wallets', 'new', 'acme')).toContain('a package');
});

test('a folder for settings that a script sets to nothing is the usual one, never that in which it works', async () => {
  const ada = await terminal('http://127.0.0.1:9', fromSources);
  await ada.with({ SVC_CONFIG_DIR: '', HOME: ada.config, NODE_COMPILE_CACHE: '' })('wallets', 'current');
  expect(await readdir(ada.checkout)).toEqual([]);
  expect(await readdir(join(ada.config, '.cache', 'svc'))).toEqual(['compiled']);
  await ada.remove();
});
