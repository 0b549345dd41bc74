import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Files that take long for their size, longest first. Begun last, one of them would have the end of a run to itself; where
 * vitest has not seen the files before it knows their sizes alone.
 */
const longest: readonly string[] = [
  'test/access/non-revealing.full.test.ts',
  'test/graphql/lanes.walk.test.ts',
  'test/payments/recovery.full.test.ts',
  'test/faults/steps.full.test.ts',
  'test/deploys/killed.full.test.ts',
  'test/faults/payments-killed.full.test.ts',
  'test/deploys/outages.full.test.ts',
  'test/deploys/killed-nodes.full.test.ts',
  'test/faults/shutdown.full.test.ts',
  'test/escalations/kills.full.test.ts',
  'test/start/first-start.full.test.ts',
  'test/tenancy/floods.full.test.ts',
  'test/faults/stalled-sockets.full.test.ts',
  'test/db/embedded.full.test.ts',
  'test/start/leftovers.full.test.ts',
  'test/start/refusals.full.test.ts',
  'test/deploys/large-site.full.test.ts',
  'test/copies/round-trip.test.ts',
  'test/access/credential-table.walk.test.ts',
  'test/access/permission-matrix.walk.test.ts',
  'test/access/audit.walk.test.ts',
  'test/sdk/methods.walk.test.ts',
  'test/products/buy.test.ts',
  'test/auth/auth-js.test.ts',
  'test/project-data/expose-refusals.test.ts',
  'test/start/process.test.ts',
  'test/live/nodes.full.test.ts',
  'test/lanes/console-everybody.test.ts',
  'test/lanes/sign-in-pages.test.ts',
  'test/lanes/console-rooms.test.ts',
  'test/lanes/console.test.ts',
  'test/lanes/soak.test.ts',
];

const places = new Map(longest.map((path, place) => [path, place]));

/** Files whose modules are their own come first, as ever; then the longest. */
const placeOf = ({ moduleId, project }: TestSpecification): number =>
  project.config.isolate ? -1 : (places.get(relative(root, moduleId)) ?? longest.length);

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const usual = await super.sort(files);
    return usual.toSorted((one, other) => placeOf(one) - placeOf(other));
  }
}
