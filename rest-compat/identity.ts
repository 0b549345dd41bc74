import { whoami } from '../resolvers/identity/whoami.ts';
import { route } from './route.ts';

/** Paths about the caller itself. Contract 01, section 5.15. */
export const identityRoutes = [route('GET', '/agent/v1/whoami', 200, whoami, () => ({}))];
