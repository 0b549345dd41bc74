import { spawn, spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { asProcess, terminal } from '../cli/command.ts';
import { killGateways, startGateway, temporaryFolder } from '../helpers/gateway-process.ts';
import { passphrase } from './stage.ts';

const home = await temporaryFolder();
const [source, backups] = [join(home.path, 'svc'), join(home.path, 'backups')];
const env = { SVC_GATEWAY_DIR: fileURLToPath(new URL('../..', import.meta.url)) };
const operator = await terminal(undefined, asProcess());
const svc = operator.with(env);
afterAll(async () => {
  await killGateways();
  await operator.remove();
  await home.remove();
});
// Its root secret is in its data folder alone.
const gateway = await startGateway({ dataDir: home.path, env: { SVC_SECRET_KEY: '', SVC_DATA_DIR: source } });
await gateway.stop();

/** Runs `svc` in a pseudo-terminal and gives an answer to each question. @returns all that the terminal showed */
async function answering(words: readonly string[], answers: readonly (readonly [question: string, answer: string])[]) {
  const called = [process.execPath, ...asProcess(), ...words].map((word) => `'${word}'`).join(' ');
  const child = spawn('script', ['-qec', called, '/dev/null'], {
    cwd: operator.checkout,
    env: { PATH: process.env.PATH, HOME: operator.config, TERM: 'xterm', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const left = [...answers];
  let [shown, seen] = ['', 0];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text;
    const at = left.length === 0 ? -1 : shown.indexOf(left[0]![0], seen);
    if (at < 0) return;
    seen = at + left[0]![0].length;
    child.stdin.write(`${left.shift()![1]}\r`);
  });
  const code = await new Promise<number | null>((done) => child.once('close', done));
  expect(left).toEqual([]);
  return { code, shown };
}

const [question, again, old] = [
  'empty for a backup without it: ',
  'same passphrase again: ',
  'Passphrase of the backup: ',
];

// A terminal is made by util-linux's script, which npm cannot install; systems without it have no other that needs no compiler.
const hasScript = /util-linux/.test(String(spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout));
describe.runIf(hasScript)('on a terminal', () => {
  test('a backup asks twice for a passphrase that nobody sees, until both are the same and long enough', async () => {
    const { code, shown } = await answering(
      ['backup', backups, '--data-dir', source],
      [
        [question, 'short'],
        [question, passphrase],
        [again, `${passphrase} mistyped`],
        [question, passphrase],
        [again, passphrase],
      ],
    );
    expect([code, shown]).toEqual([0, expect.stringContaining('At least 12 characters.')]);
    expect(shown).toContain('These are two passphrases.');
    expect(shown).not.toContain(passphrase);
    expect((await svc('backup', 'list', backups)).json.runs).toMatchObject([{ secrets: 'passphrase' }]);
  });

  test('an empty answer makes a backup without the root secret, and Ctrl-C none', async () => {
    const without = join(home.path, 'without');
    expect(await answering(['backup', without, '--data-dir', source], [[question, '']])).toMatchObject({ code: 0 });
    expect(await answering(['backup', without, '--data-dir', source], [[question, '\u0003']])).toMatchObject({
      code: 130,
    });
    expect((await svc('backup', 'list', without)).json.runs).toMatchObject([{ secrets: 'root' }]);
  });

  test('a restore asks where the root secret is in the backup alone', async () => {
    const target = join(home.path, 'restored');
    const wrong = await answering(['restore', backups, '--data-dir', target], [[old, 'some other passphrase']]);
    expect([wrong.code, wrong.shown]).toEqual([1, expect.stringContaining('passphrase is not the one')]);
    const right = await answering(['restore', backups, '--data-dir', target], [[old, passphrase]]);
    expect([right.code, right.shown]).toEqual([0, expect.not.stringContaining(passphrase)]);
  });
});

test('in a pipe nothing is asked, and a file opens what the variable has sealed', async () => {
  const piped = join(home.path, 'piped');
  const target = join(home.path, 'unpiped');
  // Blanks and line ends around it are no part of it, wherever it comes from.
  const sealed = operator.with({ ...env, SVC_BACKUP_PASSPHRASE: ` ${passphrase}\n` });
  expect(await sealed('backup', piped, '--data-dir', source)).toMatchObject({ code: 0 });
  const refused = await svc('restore', piped, '--data-dir', target);
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.error.message).toContain('give its passphrase as SVC_BACKUP_PASSPHRASE');
  const file = await operator.file('passphrase', `${passphrase} \n`);
  expect(await svc('restore', piped, '--data-dir', target, '--passphrase-file', file)).toMatchObject({ code: 0 });
});

test('a backup that is good tells its result where older ones cannot be removed', async () => {
  const folder = join(home.path, 'kept');
  const sealed = operator.with({ ...env, SVC_BACKUP_PASSPHRASE: passphrase });
  expect(await sealed('backup', folder, '--data-dir', source)).toMatchObject({ code: 0 });
  await writeFile(join(folder, 'runs', '20200101T000000Z-aaaaaa.json'), 'torn');
  const kept = await sealed('backup', folder, '--data-dir', source, '--keep', '5');
  expect(kept).toMatchObject({ code: 2, json: { databases: 1, not_pruned: expect.stringContaining('is damaged') } });
});
