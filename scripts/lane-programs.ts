import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where the lanes' programs are besides `PATH`. */
const usualPlaces = ['/usr/bin', '/usr/sbin', '/usr/local/bin', '/opt/homebrew/bin'];

const macApplications = [
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const find = (...names: readonly string[]): string | undefined =>
  [...(process.env.PATH ?? '').split(delimiter), ...usualPlaces]
    .flatMap((folder) => names.map((name) => join(folder, name)))
    .find(isProgram);

/** The NATS server, or undefined where there is none. */
export const natsProgram = () => find('nats-server');

/** Programs in front of the gateway, and one that supervises it; undefined where there is none. */
export const nginxProgram = () => find('nginx');
export const caddyProgram = () => find('caddy');
export const tiniProgram = () => find('tini', 'tini-static');

/** A name server, and a certificate authority for tests; undefined where there is none. */
export const nsdProgram = () => find('nsd');
export const pebbleProgram = () => find('pebble');
/** OpenStack Swift, which speaks S3, too; undefined where there is none. */
export const swiftProgram = () => find('swift-proxy-server');
export const memcachedProgram = () => find('memcached');

/** A mail server, which only root starts, and a client that says what it is told to; undefined where there is none. */
export const postfixProgram = () => (process.getuid?.() === 0 ? find('postfix') : undefined);
export const swaksProgram = () => find('swaks');
/** A Python with a verifier of signatures of mail, and one that asks name servers; undefined where there is none. */
export const dkimPython = () =>
  ['/usr/bin/python3', find('python3')].find(
    (python) => python !== undefined && spawnSync(python, ['-c', 'import dkim, dns.resolver']).status === 0,
  );

/** A translator by rules; undefined where there is none. */
export const apertiumProgram = () => find('apertium');

/** Chromium or Chrome, or undefined where there is neither. */
export const chromiumProgram = () =>
  find('chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable') ??
  macApplications.find(isProgram);

/** `npm`, or undefined where its registry does not answer. */
export function npmWithRegistry(): string | undefined {
  const npm = find('npm');
  if (npm === undefined) return undefined;
  return spawnSync(npm, ['view', 'zod', 'version'], { timeout: 30_000 }).status === 0 ? npm : undefined;
}

const astroFolder = fileURLToPath(new URL('../test/lanes/astro', import.meta.url));

/** Astro in the folder of its lane, or undefined where it is not installed. */
export function astroProgram(): string | undefined {
  const program = join(astroFolder, 'node_modules/astro/bin/astro.mjs');
  return existsSync(program) ? program : undefined;
}

/** Installs Astro there where it is not: 190 packages, in a quarter of a minute. Undefined where there is no registry. */
export function installedAstro(): string | undefined {
  const install = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];
  if (astroProgram() === undefined)
    spawnSync('npm', install, { cwd: astroFolder, stdio: ['ignore', 'ignore', 'inherit'], timeout: 120_000 });
  return astroProgram();
}
