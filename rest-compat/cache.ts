import { inspectPage } from '../resolvers/hosts/cache/inspect-page.ts';
import { invalidatePages } from '../resolvers/hosts/cache/invalidate-pages.ts';
import { route } from './route.ts';

/** Paths of rendered pages that are kept. Contract 03, section 5.4. */
export const cacheRoutes = [
  route('POST', '/cache/v1/invalidate', 200, invalidatePages),
  route('GET', '/cache/v1/inspect', 200, inspectPage, { release: 'query release_id' }),
];
