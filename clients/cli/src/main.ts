#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import module from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** The oldest Node.js that runs this program: older ones have no sockets and no `URL.parse`. */
const neededNode = 22;

if (process.argv[2] === '--version' || process.argv[2] === '-V') process.stdout.write(`${version}\n`);
else if (Number.parseInt(process.versions.node, 10) < neededNode) {
  const { runByNewer } = await import('./newer-node.ts');
  process.exitCode = await runByNewer(fileURLToPath(import.meta.url), neededNode);
} else {
  // Programs that this one starts, such as `npm start`, are not second ones.
  delete process.env.SVC_STARTED_BY_NODE;
  // Compiled code is kept where no other user can write; the usual place is a folder that all users share.
  module.enableCompileCache?.(join(process.env.SVC_CONFIG_DIR || join(homedir(), '.cache', 'svc'), 'compiled'));
  const { run } = await import('./run.ts');
  const ending = new AbortController();
  const end = () => ending.abort();
  process.once('SIGINT', end);
  process.once('SIGTERM', end);
  // A reader may stop reading, as `head` does.
  process.stdout.on('error', () => process.exit(0));
  process.exitCode = await run(process.argv.slice(2), {
    // What a script sets to nothing is not set.
    env: Object.fromEntries(Object.entries(process.env).filter(([, value]) => value !== '')),
    cwd: process.cwd(),
    home: homedir(),
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    version,
    signal: ending.signal,
  });
  process.stdin.unref?.();
}
