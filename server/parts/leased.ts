import { type LeasedWork, startLeasedWork } from '../../kernel/durability/leased-work.ts';
import type { Services } from '../../kernel/run/context.ts';
import { type LeasedName, leasedKinds, leasedNames } from '../leased-kinds.ts';
import { jobContext } from '../workers.ts';
import type { Start } from './part.ts';

/** Has this node look for what is due. */
export function wakeLeased(services: Pick<Services, LeasedName>): void {
  for (const name of leasedNames) services[name].wake();
}

/** Works on leased rows on this node. @param services known by the time that anything is woken */
export const startLeased = (start: Start, services: () => Services): Readonly<Record<LeasedName, LeasedWork>> =>
  Object.fromEntries(leasedNames.map((name) => [name, startOne(start, name, services)])) as Record<
    LeasedName,
    LeasedWork
  >;

function startOne({ options, lifecycle }: Start, name: LeasedName, services: () => Services): LeasedWork {
  let started: readonly ReturnType<typeof startLeasedWork>[] | undefined;
  if (options.jobs === false) return { wake: () => {}, abort: () => {} };
  lifecycle.onDrain(name, async () => void (await Promise.all((started ?? []).map((one) => one.stop()))));
  const workers = () =>
    (started ??= leasedKinds[name].map((kind) =>
      startLeasedWork(kind, services(), (signal) => jobContext(services(), signal)),
    ));
  return {
    wake: () => {
      for (const one of workers()) one.wake();
    },
    abort: (id) => {
      for (const one of workers()) one.abort(id);
    },
  };
}
