import { listSnapshots } from '../resolvers/snapshots/read-snapshots.ts';
import { route } from './route.ts';

/** Paths of snapshots of projects that are not as plain as others. Contract 03, section 6. */
export const snapshotRoutes = [
  route('GET', '/projects/v1/:project_id/snapshots', 200, listSnapshots, { before: null, from_end: null }),
];
