import { resolve } from 'node:path';
import { EmbeddedPostgresError } from '../db/embedded/error.ts';
import { DatabaseVersionError } from '../db/migrate.ts';
import { NodeLockError } from '../db/node-lock.ts';
import { isConnectionLoss, sqlState } from '../db/pool.ts';
import { RootMismatchError } from '../db/root-fingerprint.ts';
import { type Config, ConfigError } from './config.ts';

/** Refusals that say in one sentence what is in the way and what to do about it. */
const plain = [ConfigError, DatabaseVersionError, EmbeddedPostgresError, NodeLockError, RootMismatchError] as const;

/** The rest of a sentence that begins with the database's name, for what Postgres answers when it refuses a login. */
const refusedByPostgres: Readonly<Record<string, string>> = {
  '28P01': 'refuses the user or the password',
  '28000': 'refuses the user or the kind of connection',
  '3D000': 'does not exist; create it first',
  '42501': 'does not allow its user what a gateway needs',
  '53300': 'has no connection left',
  '57P03': 'does not accept connections yet',
  '55P03': 'is being prepared by another process that does not come to an end; stop that one',
  '25006': 'can only be read; name the primary server',
};

/** Failures to connect that the driver names in prose alone: no answer, a missing password, no TLS. */
const ofTheDriver = /^timeout expired$|^SASL:|SSL connection/;

/**
 * The one sentence that a start-up failure comes down to, naming the variable at fault.
 *
 * @param config Undefined when the configuration itself was the failure.
 * @returns undefined when it is a fault of the program
 */
export function startRefusal(error: unknown, config: Config | undefined): string | undefined {
  if (plain.some((kind) => error instanceof kind)) return (error as Error).message;
  if (config === undefined || !(error instanceof Error)) return undefined;
  const { code, syscall, port, address, path, hostname } = error as NodeJS.ErrnoException & {
    readonly port?: number;
    readonly address?: string;
    readonly hostname?: string;
  };
  if (syscall === 'listen' || (syscall === 'getaddrinfo' && hostname === config.host)) {
    if (code === 'EADDRINUSE')
      return `Port ${port} on ${address} is taken; stop what listens there, or choose another with PORT (0 picks a free one).`;
    if (code === 'EACCES') return `Port ${port} may not be opened by this user; choose one above 1023 with PORT.`;
    return `HOST ${config.host} is no address of this machine.`;
  }
  if (path !== undefined && isOneWay(resolve(path), resolve(config.dataDir)))
    return `The data folder cannot be used (${error.message}); set SVC_DATA_DIR to a folder of yours.`;
  return config.databaseUrl === undefined ? undefined : databaseRefusal(error, config);
}

/** Whether one of two folders lies in the other: what is missing above the data folder is in its way, too. */
const isOneWay = (one: string, other: string): boolean => one.startsWith(other) || other.startsWith(one);

function databaseRefusal(error: Error, { projectDatabaseUrls }: Config): string | undefined {
  const names = projectDatabaseUrls === undefined ? 'DATABASE_URL' : 'DATABASE_URL or of PROJECT_DATABASE_URLS';
  const database = `The database of ${names}`;
  const state = sqlState(error);
  if (state !== undefined && refusedByPostgres[state] !== undefined) {
    // What Postgres says here names roles and databases, and holds no values.
    return `${database} ${refusedByPostgres[state]} (${error.message}).`;
  }
  if (isConnectionLoss(error) || ofTheDriver.test(error.message))
    return `${database} cannot be reached (${error.message || 'no answer'}).`;
  return undefined;
}
