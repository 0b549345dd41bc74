import { browseApps } from '../resolvers/apps/browse-apps.ts';
import { route } from './route.ts';

/** Paths of published apps that are not as plain as others. Contract 04, section 3.3. */
export const appRoutes = [
  route('GET', '/apps/v1', 200, browseApps, { before: null, from_end: null }, { repeats: ['tag'] }),
];
