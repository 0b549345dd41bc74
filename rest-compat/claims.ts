import { createClaim } from '../resolvers/rooms/claims/create-claim.ts';
import { listClaims } from '../resolvers/rooms/claims/list-claims.ts';
import { releaseClaim } from '../resolvers/rooms/claims/release-claim.ts';
import { route } from './route.ts';

const claims = '/orgs/v1/:org_id/rooms/:room_key/claims';

/** Paths of what is claimed in a room. Contract 02, section 2.7. */
export const claimRoutes = [
  route('POST', claims, 201, createClaim),
  route('GET', claims, 200, listClaims),
  route('DELETE', `${claims}/:claim_id`, 200, releaseClaim),
];
