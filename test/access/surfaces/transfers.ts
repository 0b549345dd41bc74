import { offersOf } from '../../transfers/offers.ts';
import type { Stage, Surfaces } from './surface.ts';

export const transferSurfaces = ({ params, service }: Stage): Surfaces => {
  const offers = offersOf(service);
  const { actors, control } = service;
  /** What keeps a project where it is, and how it comes to its end. */
  const endings = [
    `update signers set status = 'deleted' where project_id = $1`,
    'update managed_jobs set completed_at = now(), due_at = null where project_id = $1 and completed_at is null',
    'delete from project_branches where parent_id = $1',
    'update project_snapshots set due_at = null where project_id = $1',
    'update project_restores set due_at = null where project_id = $1',
    'update project_archives set due_at = null where project_id = $1',
    'update app_versions set due_at = null where project_id = $1',
    `update deploy_operations set status = 'failed' where project_id = $1 and status not in ('ready', 'planned')`,
    'update projects set archived_at = null where id = $1',
  ];
  const none = async () => {
    await offers.clear(params.project_id!);
    for (const ending of endings) await control.sql(ending, [params.project_id]);
    return undefined;
  };
  /** The wallet, and an address, of whoever the stage belongs to. */
  const subjects = async (kind: 'wallet' | 'email') => {
    const [{ wallet, principal } = {} as never] = await control.sql<{ wallet: string; principal: string }>(
      `select a.public_subject as wallet, a.principal_id as principal from authenticators a
       join memberships m on m.principal_id = a.principal_id
       where m.org_id = $1 and m.role = 'owner' and a.kind = 'wallet' order by m.created_at limit 1`,
      [params.org_id],
    );
    const email = `${principal.toLowerCase()}@example.org`;
    await control.sql(`delete from authenticators where public_subject = $1`, [email]);
    if (kind === 'email')
      await control.sql(
        `insert into authenticators (id, principal_id, kind, public_subject, verified_at)
       values (gen_random_uuid(), $1, 'email', $2, now()) on conflict do nothing`,
        [principal, email],
      );
    return { wallet, email };
  };
  /** A project of somebody else, offered to the stage's owner. */
  const foreign = (kind: 'wallet' | 'email') => async () => {
    const { projectId } = await service.project();
    return { transfer_id: await offers.put(projectId, kind, (await subjects(kind))[kind]) };
  };
  const transfer = () => `transfer: "${params.transfer_id}"`;
  const taken = '{ transfer { transferId } }';
  return {
    'POST /projects/v1/:project_id/transfers': {
      cells: 'A + + F N F A F',
      prepare: none,
      body: () => ({ to_wallet: actors.wallet().address }),
      field: () => `mutation { initiateProjectTransfer(input: { project: "${params.project_id}",
        toWallet: "${actors.wallet().address}" }) ${taken} }`,
    },
    'GET /agent/v1/transfers/incoming': {
      cells: 'A + + + A A A A',
      prepare: none,
      field: () => '{ incomingTransfers { edges { cursor } } }',
    },
    'GET /agent/v1/transfers/outgoing': {
      cells: 'A + + + A A A A',
      prepare: none,
      field: () => '{ outgoingTransfers { edges { cursor } } }',
    },
    'GET /agent/v1/transfers/:transfer_id': {
      cells: 'A + + + A A A A',
      prepare: foreign('wallet'),
      field: () => `{ projectTransfer(${transfer()}) { transferId } }`,
    },
    // An offer to a wallet is accepted by its signature alone.
    'POST /agent/v1/transfers/:transfer_id/accept': {
      cells: 'A + F F A A A A',
      prepare: foreign('wallet'),
      field: () => `mutation { acceptProjectTransfer(input: { ${transfer()} }) ${taken} }`,
    },
    'POST /agent/v1/transfers/:transfer_id/claim': {
      cells: 'A + + F A A A A',
      prepare: foreign('email'),
      field: () => `mutation { claimProjectTransfer(input: { ${transfer()} }) ${taken} }`,
    },
    'POST /agent/v1/transfers/:transfer_id/cancel': {
      cells: 'A + + F A A A A',
      prepare: foreign('wallet'),
      field: () => `mutation { cancelProjectTransfer(input: { ${transfer()} }) { transferId } }`,
    },
  };
};
