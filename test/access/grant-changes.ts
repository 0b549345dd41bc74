import { signText } from '../../clients/cli/src/net/signing.ts';
import { signCiDelegation } from '../../clients/sdk/src/ci-delegation.ts';
import type { WalletActor } from '../helpers/actors.ts';
import type { Service } from '../helpers/service.ts';
import { type Changes, type Home, sender } from './change.ts';

/** Every change to grants and delegates. */
export function grantChanges(service: Service, home: Home): Changes & { readonly prepare: () => Promise<void> } {
  const send = sender(service);
  const { actors } = service;
  /** Grants with their delegates, for the changes that want one. */
  let pairs: Awaited<ReturnType<typeof actors.delegate>>[];
  /** What the owner's wallet has signed for workflows of CI. */
  let delegation: object = {};
  const grants = () => `/projects/v1/${home().projectId}/grants`;
  const delegates = () => `/projects/v1/${home().projectId}/delegates`;
  const grant = {
    kind: 'grant',
    objectId: ({ grant_id }: Record<string, string>) => grant_id!,
    written: 'select xmin::text from project_grants where id = $1::uuid',
  };
  const delegate = {
    kind: 'delegate',
    objectId: ({ delegate_id }: Record<string, string>) => delegate_id!,
    written: 'select xmin::text from delegates where id = $1::uuid',
  };
  return {
    adminOnly: [],
    async prepare() {
      const { orgId, projectId } = home();
      pairs = await Promise.all([1, 2].map(() => actors.delegate({ orgId, projectId, capabilities: ['read'] })));
    },
    changes: [
      {
        ...grant,
        operation: 'grants.create',
        action: 'grant.created',
        send: send('POST', grants, () => ({ wallet: actors.wallet().address, capability: 'read' })),
      },
      {
        ...grant,
        operation: 'grants.revoke',
        action: 'grant.revoked',
        send: send('DELETE', () => `${grants()}/${pairs[0]!.grantId}`),
      },
      {
        ...delegate,
        operation: 'delegates.create',
        action: 'delegate.created',
        send: send('POST', delegates, () => ({
          grant_id: pairs[1]!.grantId,
          scope: { v: 1, capabilities: ['read'] },
        })),
      },
      {
        ...delegate,
        operation: 'delegates.rotate',
        action: 'delegate.rotated',
        send: send('POST', () => `${delegates()}/${pairs[1]!.delegateId}/rotate`),
      },
      {
        ...delegate,
        operation: 'delegates.revoke',
        action: 'delegate.revoked',
        send: send('DELETE', () => `${delegates()}/${pairs[1]!.delegateId}`),
      },
      {
        operation: 'ci.createBinding',
        action: 'ci_binding.created',
        kind: 'ci_binding',
        objectId: ({ id }) => id!,
        written: 'select xmin::text from ci_bindings where id = $1',
        prepare: async () => {
          await service.control.sql('delete from ci_bindings where project_id = $1', [home().projectId]);
          const { checksumAddress: address, privateKey } = home().wallet as WalletActor;
          const { ciIssuer, settings } = service.app.services;
          const { project, ...signed } = await signCiDelegation(
            { address, signMessage: async (text) => signText(privateKey, text) },
            service.url,
            {
              project: home().projectId,
              subjectMatch: 'repo:acme/shop:*',
              issuer: ciIssuer.issuer,
              audience: settings.publicBaseUrl,
            },
          );
          delegation = { project_id: project, ...signed };
          return undefined;
        },
        send: send(
          'POST',
          () => '/ci/v1/bindings',
          () => delegation,
        ),
      },
    ],
  };
}
