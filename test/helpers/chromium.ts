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
