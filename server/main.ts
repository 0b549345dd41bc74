import { readFile } from 'node:fs/promises';
import { ensureDatabase } from '../db/ensure-database.ts';
import { RootMismatchError } from '../db/root-fingerprint.ts';
import { loadAdminKey } from './admin-key.ts';
import type { App } from './app.ts';
import { type Config, readConfig } from './config.ts';
import { createLog } from './log.ts';
import { startOwnPostgres } from './own-postgres.ts';
import { requireFreePort } from './require-free-port.ts';
import { loadRootSecret } from './root-secret.ts';
import { startRefusal } from './start-refusal.ts';
import { startTelemetry } from './telemetry.ts';
import { requireNoRestore } from './unfinished-restore.ts';
import { welcome } from './welcome.ts';

/**
 * After this long a shutdown that hangs is cut short, in milliseconds. What it consists of adds up to less: the app takes
 * five seconds at most, then Postgres has its own time for a checkpoint, and without one it ends in a moment.
 */
const shutdownMs = 9_800;
const checkpointMs = 3_000;

async function start(given: Config): Promise<void> {
  const log = createLog({ level: given.logLevel });
  const asked = askedToStop(given);
  const { version } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  const telemetry = await startTelemetry({ endpoint: given.otlpEndpoint, log, version });
  await requireNoRestore(given.dataDir);
  const { roots, takeBack } = await loadRootSecret(given);
  // Before anything is made for a start that could not end well.
  await requireFreePort(given);
  if (given.tlsPort !== undefined) await requireFreePort({ port: given.tlsPort, host: given.host });
  const madeKey = await loadAdminKey(given);
  const config = madeKey === undefined ? given : { ...given, adminKey: madeKey.key };
  // The gateway's own modules are most of a start; they are read while Postgres comes up.
  const loading = import('./app.ts');
  loading.catch(() => undefined);
  const postgres = config.databaseUrl === undefined ? await startOwnPostgres(config.dataDir, log) : undefined;
  let app: App;
  try {
    const databaseUrl = config.databaseUrl ?? (await ensureDatabase(postgres!.url, 'svc'));
    const { startApp } = await loading;
    app = await startApp({ config, databaseUrl, roots, version, log });
  } catch (error) {
    await postgres?.stop();
    // Else the next start would take the new secret for the one to be restored.
    if (error instanceof RootMismatchError) await takeBack();
    throw error;
  }
  const shutdown = once(async (reason: string, code: number) => {
    log.info({ reason }, 'The gateway stops.');
    cutShort();
    await app.stop();
    await Promise.all([postgres?.stop(checkpointMs), telemetry.stop()]);
    process.exit(code);
  });
  process.on('unhandledRejection', (error) => log.error({ err: error }, 'A promise was rejected and nobody listened.'));
  void postgres?.givenUp.then(() => shutdown('The embedded Postgres ended and does not start again.', 1));
  void asked.then((why) => shutdown(why, 0));
  process.stdout.write(welcome({ url: app.url, config, postgres, madeKey }));
  log.info({ url: app.url, version }, 'The gateway serves.');
}

/**
 * Resolves with why: the first signal, or the end of standard input where that counts. Listens from the start: what comes
 * midway must not leave a Postgres behind.
 */
function askedToStop({ stopWithStdin }: Config): Promise<string> {
  return new Promise((resolve) => {
    const stop = (why: string) => {
      cutShort();
      resolve(why);
    };
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => stop(signal));
    if (!stopWithStdin) return;
    process.stdin.once('close', () => stop('Standard input has ended.'));
    process.stdin.resume();
    // A reader of the output may have ended, too; that must not cut the stop short.
    process.stdout.on('error', () => undefined);
  });
}

/** Ends the process when its shutdown, or the start that is under way, takes too long. */
function cutShort(): void {
  setTimeout(() => process.exit(1), shutdownMs).unref();
}

function once<Arguments extends unknown[]>(
  run: (...args: Arguments) => Promise<void>,
): (...args: Arguments) => Promise<void> {
  let running: Promise<void> | undefined;
  return (...args) => {
    running ??= run(...args);
    return running;
  };
}

process.title = 'svc-gateway';
let config: Config | undefined;
try {
  config = readConfig(process.env);
  await start(config);
} catch (error) {
  const sentence = startRefusal(error, config);
  process.stderr.write(
    sentence === undefined ? `${error instanceof Error ? error.stack : error}\n` : `svc: ${sentence}\n`,
  );
  process.exit(1);
}
