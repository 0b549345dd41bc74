import { admitWriter } from '../resolvers/vaults/admit-writer.ts';
import { enrolKey } from '../resolvers/vaults/enrol-key.ts';
import { takePush } from '../resolvers/vaults/push.ts';
import { registerVault } from '../resolvers/vaults/register-vault.ts';
import { reportLostKey } from '../resolvers/vaults/report-lost-key.ts';
import { rotateEpoch } from '../resolvers/vaults/rotate-epoch.ts';
import { route } from './route.ts';

/** The platform admin’s door to members’ encryption keys and vaults: what a vault engine reports and asks. */
export const vaultRoutes = [
  route(
    'POST',
    '/gitvault/v1/admin/:org_id/members/:principal_id/encryption-key',
    { usual: 201, of: ({ enrolled }) => (enrolled ? 201 : 200) },
    enrolKey,
  ),
  route('POST', '/gitvault/v1/admin/:org_id/members/:principal_id/encryption-key/lost', 200, reportLostKey),
  route(
    'POST',
    '/gitvault/v1/admin/:org_id/vaults',
    { usual: 201, of: ({ registered }) => (registered ? 201 : 200) },
    registerVault,
  ),
  route(
    'POST',
    '/gitvault/v1/admin/:org_id/vaults/:vault_id/writers',
    { usual: 201, of: ({ admitted }) => (admitted ? 201 : 200) },
    admitWriter,
  ),
  route('POST', '/gitvault/v1/admin/:org_id/vaults/:vault_id/pushes', 200, takePush),
  route('POST', '/gitvault/v1/admin/:org_id/vaults/:vault_id/rotations', 200, rotateEpoch),
];
