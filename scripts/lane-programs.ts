import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

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

/** Chromium or Chrome, or undefined where there is neither. */
export const chromiumProgram = () =>
  find('chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable') ?? macApplications.find(isProgram);
