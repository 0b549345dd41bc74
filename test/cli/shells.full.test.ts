import { execFile, spawnSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asProcess, fromSources, terminal } from './command.ts';

const run = promisify(execFile);
const folder = await mkdtemp(join(tmpdir(), 'svc-shells-'));
const ada = await terminal(undefined, asProcess());
afterAll(async () => {
  await ada.remove();
  await rm(folder, { recursive: true });
});

const scripts: Record<string, string> = {};
beforeAll(async () => {
  // The command by its name, as it stands on somebody's path.
  await mkdir(join(folder, 'bin'));
  const svc = join(folder, 'bin', 'svc');
  await writeFile(svc, `#!/bin/sh\nexec '${process.execPath}' '${fromSources[0]}' "$@"\n`);
  await chmod(svc, 0o755);
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { code, stdout } = await ada.svc('completion', shell);
    expect(code).toBe(0);
    scripts[shell] = join(folder, `svc.${shell}`);
    await writeFile(scripts[shell], stdout);
  }
  // As the page says: a file of fpath.
  await mkdir(join(folder, 'fpath'));
  await writeFile(join(folder, 'fpath', '_svc'), (await ada.svc('completion', 'zsh')).stdout);
});

const isThere = (shell: string) => spawnSync(shell, ['-c', 'true']).status === 0;

async function said(shell: string, ...words: string[]): Promise<string[]> {
  const { stdout, stderr } = await run(shell, words, {
    cwd: ada.checkout,
    env: { PATH: `${join(folder, 'bin')}:${process.env.PATH}`, HOME: ada.config, TERM: 'dumb' },
  });
  expect(stderr).toBe('');
  return stdout.split('\n').filter((line) => line !== '');
}

/** What each shell offers behind these words, the last of which is typed in part. */
const offered: Readonly<Record<string, (...words: string[]) => Promise<string[]>>> = {
  bash: (...words) =>
    said(
      'bash',
      '--norc',
      '-c',
      `source "$0"; complete -p svc >/dev/null || exit 9; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _svc; printf '%s\\n' "\${COMPREPLY[@]}"`,
      scripts.bash!,
      ...words,
    ),
  // From a folder of fpath: the first call is the one that loads it.
  zsh: (...words) =>
    said(
      'zsh',
      '-f',
      '-c',
      `fpath=(${join(folder, 'fpath')} $fpath); autoload -Uz compinit; compinit -u -D; [[ $_comps[svc] == _svc ]] || exit 9
       _describe() { print -rl -- "\${(@P)2}" }; words=("$@"); CURRENT=$#; _svc`,
      'zsh',
      ...words,
    ).then((lines) => lines.map((line) => line.split(':')[0]!)),
  fish: (...words) =>
    said('fish', '--no-config', '-c', 'source $argv[1]; complete -C "$argv[2]"', scripts.fish!, words.join(' ')).then(
      (lines) => lines.map((line) => line.split('\t')[0]!),
    ),
};

describe.each(Object.keys(offered))('%s', (shell) => {
  const whenThere = test.skipIf(!isThere(shell));
  const complete = offered[shell]!;

  whenThere('offers commands, and those below them', async () => {
    expect(await complete('svc', 'mes')).toEqual(['messages']);
    expect(await complete('svc', 'org', 'mem')).toEqual(['member']);
    expect(await complete('svc', 'org', 'member', '')).toEqual(
      expect.arrayContaining(['add', 'list', 'revoke-key', 'rm', 'role']),
    );
  });

  whenThere('offers flags and their choices', async () => {
    expect(await complete('svc', 'messages', 'list', '--un')).toEqual(['--unread']);
    expect((await complete('svc', 'messages', 'send', 'x', '--importance', '')).sort()).toEqual(['high', 'normal']);
  });

  whenThere('is not led astray by flags that stand in front of a command', async () => {
    expect(await complete('svc', '--wallet', 'acme', 'mes')).toEqual(['messages']);
    expect(await complete('svc', 'org', '--wallet', 'acme', 'mem')).toEqual(['member']);
  });
});

test.skipIf(!isThere('zsh'))('zsh takes the script by source, too', async () => {
  const code = `autoload -Uz compinit; compinit -u -D; source "$1"; print -r -- $_comps[svc]`;
  expect(await said('zsh', '-f', '-c', code, 'zsh', scripts.zsh!)).toEqual(['_svc']);
});
