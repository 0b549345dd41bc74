import { admitWriter } from '../resolvers/vaults/admit-writer.ts';
import { enrolKey } from '../resolvers/vaults/enrol-key.ts';
import { takePush } from '../resolvers/vaults/push.ts';
import { registerVault } from '../resolvers/vaults/register-vault.ts';
import { reportLostKey } from '../resolvers/vaults/report-lost-key.ts';
import { rotateEpoch } from '../resolvers/vaults/rotate-epoch.ts';
import { type RestRequest, route } from './route.ts';

const member = ({ params }: RestRequest) => ({ org: params.org_id, principal: params.principal_id });

const writer = ({ params, body }: RestRequest) => ({
  org: params.org_id,
  vault: params.vault_id,
  encryption_key_id: body.encryption_key_id,
});

/** The platform admin’s door to members’ encryption keys and vaults: what a vault engine reports and asks. */
export const vaultRoutes = [
  route(
    'POST',
    '/gitvault/v1/admin/:org_id/members/:principal_id/encryption-key',
    { usual: 201, of: ({ enrolled }) => (enrolled ? 201 : 200) },
    enrolKey,
    (request) => ({
      ...member(request),
      fingerprint: request.body.fingerprint,
      custody_scheme: request.body.custody_scheme,
    }),
  ),
  route('POST', '/gitvault/v1/admin/:org_id/members/:principal_id/encryption-key/lost', 200, reportLostKey, (request) =>
    member(request),
  ),
  route(
    'POST',
    '/gitvault/v1/admin/:org_id/vaults',
    { usual: 201, of: ({ registered }) => (registered ? 201 : 200) },
    registerVault,
    ({ params, body }) => ({ org: params.org_id, project_id: body.project_id }),
  ),
  route(
    'POST',
    '/gitvault/v1/admin/:org_id/vaults/:vault_id/writers',
    { usual: 201, of: ({ admitted }) => (admitted ? 201 : 200) },
    admitWriter,
    writer,
  ),
  route('POST', '/gitvault/v1/admin/:org_id/vaults/:vault_id/pushes', 200, takePush, writer),
  route('POST', '/gitvault/v1/admin/:org_id/vaults/:vault_id/rotations', 200, rotateEpoch, writer),
];
