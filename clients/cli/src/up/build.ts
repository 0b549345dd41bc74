import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { delimiter, dirname, relative, resolve } from 'node:path';
import type { Cli } from '../cli.ts';
import { local } from '../failure.ts';
import { note } from '../progress.ts';
import type { AppManifest, BuildCommand } from './manifest.ts';

/** How much of what a build says is kept: its end, in UTF-16 units. */
const saidMax = 4_000;

/**
 * Runs the commands of a build one after the other; what they say is shown on a terminal. The first one that fails ends it.
 *
 * @param folder of the manifest, which no command leaves by its `cwd`
 * @throws Failure BUILD_MODE_NOT_AVAILABLE, SHELL_BUILD_NOT_ALLOWED, INVALID_MANIFEST, BUILD_FAILED
 */
export async function runBuild(
  cli: Cli,
  folder: string,
  { mode, commands }: AppManifest['build'],
  { allowShell }: { readonly allowShell: boolean },
): Promise<void> {
  if (commands.length === 0) return;
  if (mode !== 'local')
    throw local('BUILD_MODE_NOT_AVAILABLE', `Builds run on this machine: build.mode must be local, not ${mode}.`, {
      field: 'build.mode',
    });
  const shell = commands.find((command) => command.shell !== undefined);
  if (shell !== undefined && !allowShell)
    throw local('SHELL_BUILD_NOT_ALLOWED', `The build ${shell.id} is a line for the shell: ${shell.shell}`, {
      hint: 'Look at it, then give --allow-shell-build.',
      field: 'allow-shell-build',
    });
  for (const command of commands) {
    const cwd = resolve(folder, command.cwd);
    if (relative(folder, cwd).startsWith('..'))
      throw local('INVALID_MANIFEST', `The build ${command.id} leaves the folder of the manifest.`, {
        field: 'build.commands',
      });
    note(cli, `Building: ${command.id}`);
    await runCommand(cli, command, cwd);
  }
}

async function runCommand(cli: Cli, { id, argv, shell }: BuildCommand, cwd: string): Promise<void> {
  const [program, ...args] = argv ?? [shell!];
  const child = spawn(program!, args, {
    cwd,
    // `node` is the one that runs this program, whatever the system’s own is.
    env: { ...process.env, ...cli.env, PATH: [dirname(process.execPath), cli.env.PATH ?? ''].join(delimiter) },
    shell: shell !== undefined,
    stdio: ['ignore', 'pipe', 'pipe'],
    signal: cli.signal,
  });
  // A program reads one document from each of this command's streams: it is told what a build says when that fails.
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream!.setEncoding('utf8').on('data', (text: string) => {
      if (cli.stderr.isTTY === true) cli.stderr.write(text);
      said = (said + text).slice(-saidMax);
    });
  let status: unknown;
  try {
    [status] = await once(child, 'close');
  } catch (error) {
    throw local('BUILD_FAILED', `The build ${id} could not be started: ${(error as Error).message}`, {
      details: { id },
    });
  }
  if (status !== 0)
    throw local('BUILD_FAILED', `The build ${id} ended with ${String(status)}.`, {
      details: { id, exit_code: status },
    });
}
