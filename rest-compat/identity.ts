import { setDisplayName } from '../resolvers/accounts/set-display-name.ts';
import { whoami } from '../resolvers/accounts/whoami.ts';
import { route } from './route.ts';

/** Paths about the caller itself. Contract 01, section 5.15. */
export const identityRoutes = [
  route('GET', '/agent/v1/whoami', 200, whoami),
  route('PATCH', '/agent/v1/me', 200, setDisplayName),
];
