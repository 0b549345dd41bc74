import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { firstUrl } from '../first-url.ts';
import type { Checkout } from './checkout.ts';
import { makeSide, type Side } from './side.ts';

/** What is derived from it is the same on both sides: keys of wallets, for example. */
const secretKey = '5c'.repeat(16) + '3a'.repeat(16);
const adminKey = 'an-admin-key-for-wire-equality';

export interface Running {
  readonly side: Side;
  /** Ends it and removes what it kept. */
  readonly stop: () => Promise<void>;
}

/** Starts a build with a data folder and a port of its own, and with settings that make its answers repeatable. */
export async function startBuild(name: Side['name'], { folder }: Checkout): Promise<Running> {
  const home = await mkdtemp(join(tmpdir(), `svc-wire-${name}-`));
  // Postgres runs as another user when this runs as root, and has to get in.
  await chmod(home, 0o755);
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', 'server/main.ts'], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      HOME: home,
      PORT: '0',
      LOG_LEVEL: 'warn',
      SVC_DATA_DIR: join(home, 'data'),
      SVC_SECRET_KEY: secretKey,
      SVC_ADMIN_KEY: adminKey,
      STOP_WITH_STDIN: '1',
      // Each request says which address it is from, so that limits by address count none of them together.
      TRUSTED_PROXIES: '127.0.0.1,::1',
    },
    // Its end of the pipe closes with this process, however that ends.
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
    await rm(home, { recursive: true, force: true, maxRetries: 10 });
  };
  const url = await firstUrl(child);
  if (url === undefined) {
    await stop();
    throw new Error(`The ${name} build ended before it served.`);
  }
  return { side: makeSide({ name, url, adminKey, checkout: folder, home }), stop };
}
