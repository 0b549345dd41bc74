import { findBinaries, mendLibraryLinks, removeOldCopies, tryPrograms } from './binaries.ts';
import { choosePrograms } from './choose-programs.ts';
import { prepareData, readPassword } from './data-folder.ts';
import { explainStartFailure } from './error.ts';
import { acquireFolderLock, type FolderLock } from './folder-lock.ts';
import { adoptOrLaunch, type Launched } from './launch.ts';
import type { Log } from './log.ts';
import { choosePlace, makeWantedHome } from './place.ts';
import { superuserUrl } from './postmaster.ts';
import { stopPostmaster } from './stop-postmaster.ts';

export interface EmbeddedPostgresOptions {
  /** Folder of the gateway's data (`SVC_DATA_DIR`), e.g. `.svc`, made if missing; Postgres lives in `<dataDir>/postgres`. */
  readonly dataDir: string;
  /** Told what was done, and where the database lives. @default silent */
  readonly log?: Log;
  /** Port to listen on, for a server that is started again; waited for while it is taken. @default a free one */
  readonly port?: number;
  /** Server settings beside or instead of our own, e.g. `{ fsync: 'off' }` in tests. @default none */
  readonly settings?: Readonly<Record<string, string>>;
}

export interface EmbeddedPostgres {
  /** Superuser URL over TCP on 127.0.0.1, database `postgres`. Holds the password: never log it. */
  readonly url: string;
  readonly port: number;
  /** Where Postgres truly lives: `<dataDir>/postgres`, or a private folder below /var/lib. */
  readonly dataDir: string;
  /** True when the server of a gateway that was killed lived on and was taken over, with its settings. */
  readonly adopted: boolean;
  /**
   * Stops Postgres (fast mode, sessions are ended; after `fastMs` without a checkpoint), waits until it is gone and gives
   * the folder back. Idempotent.
   *
   * @param fastMs In milliseconds. @default 6_000
   */
  stop(fastMs?: number): Promise<void>;
  /** Resolves when the Postgres process ends by itself; not by stop(). */
  readonly exited: Promise<void>;
}

/**
 * Starts the gateway's own Postgres, making the database at the first start, or takes over the one that outlived a
 * killed gateway. The folder is this process's alone until stop().
 * @throws EmbeddedPostgresError whose message is one sentence; nothing is left locked or running then.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const locks: FolderLock[] = [];
  const releaseAll = async () => {
    for (const lock of locks.reverse()) await lock.release();
  };
  try {
    return await start(options, locks, releaseAll);
  } catch (error) {
    await releaseAll();
    throw explainStartFailure(error, options.dataDir);
  }
}

async function start(
  { dataDir, log = () => {}, port, settings = {} }: EmbeddedPostgresOptions,
  locks: FolderLock[],
  releaseAll: () => Promise<void>,
): Promise<EmbeddedPostgres> {
  const found = await findBinaries();
  const linked = await mendLibraryLinks(found.folder);

  const wanted = await makeWantedHome(dataDir);
  locks.push(await acquireFolderLock(wanted));
  const place = await choosePlace(wanted, async (user) => linked && (await tryPrograms(found.folder, user)).ok, log);
  // A copied data folder points to the same place as its original.
  if (place.home !== wanted) locks.push(await acquireFolderLock(place.home));

  const programs = await choosePrograms(found, linked, place);
  await prepareData(place, programs, settings.fsync !== 'off', log);
  const password = await readPassword(place.home);
  const server = await adoptOrLaunch({
    place,
    programs,
    password,
    settings,
    ...(port === undefined ? {} : { choosePort: async () => port }),
  });
  // They only take space: no reason to refuse, with a server that runs already.
  if (!server.adopted)
    await removeOldCopies(place.home, programs).catch((error: Error) =>
      log('could not remove old copies of the Postgres programs', { folder: place.home, reason: error.message }),
    );
  log(server.adopted ? 'took over the Postgres server of a gateway that was killed' : 'started Postgres', {
    folder: place.home,
    pid: server.process.pid,
    port: server.port,
  });

  let stopping: Promise<void> | undefined;
  return {
    url: superuserUrl(server.port, password),
    port: server.port,
    dataDir: place.home,
    adopted: server.adopted,
    stop: (fastMs) => (stopping ??= stopPostmaster(server.process, programs, fastMs).finally(releaseAll)),
    exited: unexpectedEnd(server, () => stopping !== undefined),
  };
}

/** Pending for ever once stop() was called: that end is no news. */
async function unexpectedEnd(server: Launched, stopping: () => boolean): Promise<void> {
  await server.ended;
  if (stopping()) await new Promise<never>(() => {});
}
