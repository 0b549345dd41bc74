import { type Browser, chromium } from 'playwright-core';
import { chromiumProgram } from '../../scripts/lane-programs.ts';

/**
 * Starts Chromium. Whatever its pages might want from elsewhere, they shall not get.
 *
 * @param names of this machine that they may ask besides 127.0.0.1
 */
export const launchChromium = (...names: readonly string[]): Promise<Browser> =>
  chromium.launch({
    executablePath: chromiumProgram()!,
    args: [
      ...['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--disable-background-networking'],
      ...['--disable-component-update', '--disable-sync', '--disable-default-apps', '--no-first-run'],
      `--host-resolver-rules=${['MAP * ~NOTFOUND', ...['127.0.0.1', ...names].map((name) => `EXCLUDE ${name}`)].join(', ')}`,
    ],
  });

const shared = new Map<string, Promise<Browser>>();

/**
 * The browser of this worker, which its files share: each test has a context of its own, and closes that. It ends with the
 * worker.
 *
 * @param names of this machine that pages may ask besides 127.0.0.1
 */
export async function sharedChromium(...names: readonly string[]): Promise<Browser> {
  const key = names.join(' ');
  const running = await shared.get(key);
  if (running?.isConnected()) return running;
  const launched = launchChromium(...names);
  shared.set(key, launched);
  return launched;
}
