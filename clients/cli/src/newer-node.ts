import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { local } from './failure.ts';

/** Says to the process that is started that it is the second one. It says so to none that it starts itself. */
const rerun = 'SVC_STARTED_BY_NODE';

/**
 * Runs this program anew by the Node.js that `npm ci` put into the gateway's clone, where the one of the shell is too old.
 *
 * @param script the file that was called
 * @param needed major version
 * @returns the code to exit with
 */
export async function runByNewer(script: string, needed: number): Promise<number> {
  // The one that was found first may be too old itself.
  const node = process.env[rerun] === undefined ? newerNode(dirname(script)) : undefined;
  if (node === undefined) return refused(needed);
  const child = spawn(node, [script, ...process.argv.slice(2)], {
    stdio: 'inherit',
    env: { ...process.env, [rerun]: process.versions.node },
  });
  const forward = (signal: NodeJS.Signals) => child.kill(signal);
  process.on('SIGTERM', forward);
  process.on('SIGHUP', forward);
  // Ctrl-C reaches both; a program that asks this one alone to stop means the other.
  process.on('SIGINT', (signal) => (process.stdin.isTTY ? undefined : forward(signal)));
  return new Promise((ended) => {
    // Such as one that was installed for another kind of machine.
    child.once('error', () => ended(refused(needed)));
    // A program that a signal ends is told apart by its code, as shells do.
    child.once('close', (code, signal) => ended(code ?? 128 + (signal === null ? 0 : constants.signals[signal])));
  });
}

function refused(needed: number): number {
  const { envelope } = local('LOCAL_ERROR', `svc needs Node.js ${needed}, and this is ${process.versions.node}.`, {
    hint: `Install Node.js ${needed} or newer, or call svc in a clone of the gateway after npm ci.`,
  });
  process.stderr.write(`${JSON.stringify(envelope, undefined, 2)}\n`);
  return 1;
}

function newerNode(from: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const found = join(folder, 'node_modules', '.bin', process.platform === 'win32' ? 'node.exe' : 'node');
    if (existsSync(found) && found !== process.execPath) return found;
    if (dirname(folder) === folder) return undefined;
  }
}
