import { createThreads } from '../../core/threads.ts';
import type { Archive, ArchiveParts } from './archive.ts';
import type { Built } from './archive-worker.ts';
import type { BundleFile } from './bundle-file.ts';

/** The static archives of this installation. */
export interface Archives {
  /** Made when they are first asked for, and kept: they are what is delivered for as long as the process lives. */
  readonly all: () => Promise<readonly Archive[]>;
  readonly close: () => Promise<void>;
}

export interface ArchivesOptions extends Omit<ArchiveParts, 'made'> {
  readonly made: () => Promise<readonly BundleFile[]>;
}

/** Longest that the archives may take to be made, in milliseconds: it is a second or two of work. */
const buildMs = 120_000;

/** Archives are made in a thread: packing some megabytes would hold up everybody for a second. */
export function createArchives({ root, version, made }: ArchivesOptions): Archives {
  const threads = createThreads<ArchiveParts, Built>({
    program: new URL('./archive-worker.ts', import.meta.url),
    most: 1,
    waitingMax: 1,
    workMs: buildMs,
  });
  let building: Promise<readonly Archive[]> | undefined;
  const build = async (): Promise<readonly Archive[]> => {
    const built = await threads.ask({ root, version, made: await made() });
    if ('failure' in built) throw new Error(`The archives could not be made: ${built.failure}`);
    return built.archives;
  };
  return {
    all() {
      building ??= build().catch((error: unknown) => {
        building = undefined;
        throw error;
      });
      return building;
    },
    close: threads.close,
  };
}
