import { readFile } from 'node:fs/promises';
import { EmbeddedPostgresError } from '../db/embedded/error.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../db/embedded/start.ts';
import { ensureDatabase } from '../db/ensure-database.ts';
import { NodeLockError } from '../db/node-lock.ts';
import { RootMismatchError } from '../db/root-fingerprint.ts';
import { type App, startApp } from './app.ts';
import { type Config, ConfigError, readConfig } from './config.ts';
import { createLog } from './log.ts';
import { loadRootSecret } from './root-secret.ts';
import { startTelemetry } from './telemetry.ts';
import { welcome } from './welcome.ts';

/** After this long a shutdown that hangs is cut short, in milliseconds. */
const shutdownMs = 9_500;

/** Refusals to start that are said in one sentence; anything else shows its stack. */
const plain = [ConfigError, EmbeddedPostgresError, NodeLockError, RootMismatchError] as const;

async function main(): Promise<void> {
  const config = readConfig(process.env);
  const log = createLog({ level: config.logLevel });
  const { version } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  const telemetry = await startTelemetry({ endpoint: config.otlpEndpoint, log, version });
  const roots = await loadRootSecret(config);
  const postgres = config.databaseUrl === undefined ? await startOwnPostgres(config, log) : undefined;
  let app: App;
  try {
    const databaseUrl = config.databaseUrl ?? (await ensureDatabase(postgres!.url, 'svc'));
    app = await startApp({ config, databaseUrl, roots, version, log });
  } catch (error) {
    await postgres?.stop();
    throw error;
  }
  process.stdout.write(welcome({ url: app.url, config, postgres }));
  log.info({ url: app.url, version }, 'The gateway serves.');

  const shutdown = once(async (reason: string, code: number) => {
    log.info({ reason }, 'The gateway stops.');
    const patience = setTimeout(() => process.exit(1), shutdownMs);
    await app.stop();
    await postgres?.stop();
    await telemetry.stop();
    clearTimeout(patience);
    process.exit(code);
  });
  process.on('SIGTERM', () => void shutdown('SIGTERM', 0));
  process.on('SIGINT', () => void shutdown('SIGINT', 0));
  void postgres?.exited.then(() => shutdown('The embedded Postgres ended.', 1));
  process.on('unhandledRejection', (error) => log.error({ err: error }, 'A promise was rejected and nobody listened.'));
}

const startOwnPostgres = (config: Config, log: ReturnType<typeof createLog>): Promise<EmbeddedPostgres> =>
  startEmbeddedPostgres({ dataDir: config.dataDir, log: (message, facts = {}) => log.info(facts, message) });

/** The one sentence a start-up failure comes down to; undefined when it is a fault of the program. */
function startUpRefusal(error: unknown): string | undefined {
  if (plain.some((kind) => error instanceof kind)) return (error as Error).message;
  const { code, port, address } = error as NodeJS.ErrnoException & { port?: number; address?: string };
  if (code === 'EADDRINUSE')
    return `Port ${port} on ${address} is taken; stop what listens there, or choose another with PORT (0 picks a free one).`;
  if (code === 'EACCES' && port !== undefined)
    return `Port ${port} may not be opened by this user; choose one above 1023 with PORT.`;
  if (code === 'EADDRNOTAVAIL') return `HOST ${address} is no address of this machine.`;
  if (code === 'ECONNREFUSED' || code === 'ENOTFOUND')
    return `The database of DATABASE_URL cannot be reached (${code}).`;
  return undefined;
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
await main().catch((error: unknown) => {
  const sentence = startUpRefusal(error);
  process.stderr.write(
    sentence === undefined ? `${error instanceof Error ? error.stack : error}\n` : `svc: ${sentence}\n`,
  );
  process.exit(1);
});
