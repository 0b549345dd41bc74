import { type Browser, chromium } from 'playwright-core';
import { chromiumProgram } from '../../scripts/lane-programs.ts';

/** Hosts of this machine. Whatever pages might want from elsewhere, they shall not get. */
const hosts = ['127.0.0.1', 'localhost', '*.localhost'];

let running: Promise<Browser> | undefined;

/**
 * Chromium, which the files of a worker share: each test has a context of its own, and each file ends with
 * {@link closePages}. It ends with the worker.
 */
export async function sharedChromium(): Promise<Browser> {
  const before = await running;
  if (before?.isConnected()) return before;
  running = chromium.launch({
    executablePath: chromiumProgram()!,
    args: [
      ...['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--disable-background-networking'],
      ...['--disable-component-update', '--disable-sync', '--disable-default-apps', '--no-first-run'],
      `--host-resolver-rules=${['MAP * ~NOTFOUND', ...hosts.map((host) => `EXCLUDE ${host}`)].join(', ')}`,
    ],
  });
  return running;
}

/** Closes all that is open in a browser, so that the next file begins with nothing. */
export async function closePages(browser: Browser | undefined): Promise<void> {
  for (const context of browser?.contexts() ?? []) await context.close();
}
