import type { Service } from '../helpers/service.ts';
import { type Changes, type Home, sender } from './change.ts';

/** Every change to an organization itself, and to a principal’s own name. */
export function orgChanges(service: Service, home: Home): Changes {
  const send = sender(service);
  const org = {
    kind: 'organization',
    objectId: ({ org_id }: Record<string, string>) => org_id!,
    written: 'select xmin::text from orgs where id = $1::uuid',
  };
  return {
    adminOnly: ['orgs.setLimits'],
    changes: [
      { ...org, operation: 'orgs.create', action: 'org.created', send: send('POST', () => '/orgs/v1') },
      {
        ...org,
        operation: 'orgs.setLimits',
        action: 'org.limits_set',
        send: send(
          'POST',
          () => `/orgs/v1/admin/${home().orgId}/limits`,
          () => ({ limits: { projects: 200 } }),
        ),
      },
      {
        ...org,
        operation: 'orgs.rename',
        action: 'org.renamed',
        send: send(
          'PATCH',
          () => `/orgs/v1/${home().orgId}`,
          () => ({ display_name: 'Ada’s' }),
        ),
      },
      {
        ...org,
        operation: 'orgs.setPayoutWallet',
        action: 'org.payout_wallet_set',
        send: send(
          'PATCH',
          () => `/orgs/v1/${home().orgId}/payout-wallet`,
          () => ({ wallet_address: home().wallet.address }),
        ),
      },
      {
        operation: 'feedback.send',
        action: 'feedback.sent',
        kind: 'organization',
        async send(actor) {
          const body = { message: 'It works.' };
          const answer = await service.call<{ code: string }>(actor, 'POST', '/feedback/v1', { body });
          return { ...answer, body: { code: answer.body.code, id: home().orgId } };
        },
        objectId: ({ id }) => id!,
        written: 'select xmin::text from feedback where org_id = $1 order by created_at desc, id desc limit 1',
      },
      {
        operation: 'identity.setDisplayName',
        action: 'principal.renamed',
        kind: 'principal',
        async send(actor) {
          const body = { display_name: 'Ada' };
          const answer = await service.call<{ principal?: { id: string }; code: string }>(
            actor,
            'PATCH',
            '/agent/v1/me',
            { body },
          );
          return { ...answer, body: { code: answer.body.code, id: answer.body.principal?.id ?? '' } };
        },
        objectId: ({ id }) => id!,
        written: 'select xmin::text from principals where id = $1',
      },
    ],
  };
}
