import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { firstUrl } from '../../scripts/first-url.ts';
import { atMost, type Line, line } from '../report.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** `npm start` until it serves, in seconds, on a folder of its own. */
async function startOnce(dataDir: string): Promise<number> {
  const startedAt = performance.now();
  // A group of its own, so that npm and what it has started end together.
  const child = spawn('npm', ['start', '--silent'], {
    cwd: root,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, PORT: '0', LOG_LEVEL: 'error', SVC_DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  const url = await firstUrl(child);
  const seconds = (performance.now() - startedAt) / 1000;
  if (url === undefined) throw new Error('npm start ended before it served.');
  const ended = once(child, 'close');
  process.kill(-child.pid!, 'SIGTERM');
  await ended;
  return seconds;
}

/** The first start makes a database; later ones find it. */
export async function start(): Promise<Line[]> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-bench-start-'));
  await chmod(folder, 0o755);
  try {
    const first = await startOnce(folder);
    const later = await startOnce(folder);
    return [
      line({ row: 'start', name: 'first `npm start` until it serves', unit: 's', ours: first, target: atMost(15) }),
      line({ row: 'start', name: 'later `npm start` until it serves', unit: 's', ours: later, target: atMost(3) }),
    ];
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
