import { revokeCredential } from '../resolvers/credentials/revoke-credential.ts';
import { route } from './route.ts';

/** The path of credentials whose inputs have other places. Contract 01, section 5.10. */
export const credentialRoutes = [
  route('DELETE', '/projects/v1/:project_id/credentials/:credential_id', 200, revokeCredential, {
    reason: ['body reason', 'query reason'],
  }),
];
