import { z } from 'zod';
import { sql } from '../../db/drizzle.ts';
import { ciBindings } from '../../db/schema/ci.ts';
import { delegates, projectGrants } from '../../db/schema/projects.ts';
import { pick, setOf, statement } from '../../db/sql.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { grantActions } from '../grants/shared/actions.ts';
import type { DeletedProject } from '../projects/shared/deletion-hooks.ts';
import { lockProjectFor } from '../projects/shared/lock-project.ts';
import {
  bindingId,
  bindingToWire,
  type CiBinding,
  CiBindingWire,
  findBindingStatement,
  found,
  onBinding,
} from './binding-row.ts';

const action = grantActions['project:delegates:write'];

/** A binding, and whether this call has ended it. */
type Revoked = CiBinding & { readonly wasRevoked: boolean };

/** `POST /ci/v1/bindings/:binding_id/revoke`. Contract 03, section 9.1. */
export const revokeBinding = mutation({
  name: 'ci.revokeBinding',
  tool: 'ci_revoke_binding',
  command: 'ci revoke',
  effects: ['destructive', 'idempotent'],
  summary: 'End a binding of CI. Sessions of its workflows end at once.',
  path: 'POST /ci/v1/bindings/:binding_id/revoke',
  access: onBinding(action),
  stepUp: 'project.grants',
  input: z.object({ binding: bindingId }),
  async handler(work, { binding: id }): Promise<Revoked> {
    const { org, project } = work;
    await lockProjectFor(work, action);
    const owner = { orgId: org.id, projectId: project.id };
    const before = found(await work.rows(findBindingStatement.with({ projectId: project.id, id })), id);
    if (before.revokedAt !== null) return { ...before, wasRevoked: true };
    await work.rows(revokeStatement.with({ ...owner, id }));
    await work.rows(endStatement.with({ ...owner, id }));
    work.authorityChanged(org.id);
    const now = found(await work.rows(findBindingStatement.with({ projectId: project.id, id })), id);
    return { ...now, wasRevoked: false };
  },
  audit: ({ id, projectId, wasRevoked }) =>
    wasRevoked
      ? undefined
      : { action: 'ci_binding.revoked', object: { kind: 'ci_binding', id }, details: { project_id: projectId } },
  wire: CiBindingWire,
  toWire: bindingToWire,
});

/** Bindings of a project that is deleted are gone with it. */
export const forgetBindings = async (work: Work, { projectId }: DeletedProject): Promise<void> =>
  void (await work.rows(forgetStatement.with({ projectId })));

const ofBinding = pick(ciBindings, 'orgId', 'projectId', 'id');

const revokeStatement = statement(
  'ci.revoke',
  { params: ofBinding },
  ({ orgId, projectId, id }) => sql`update ${ciBindings} ${setOf(ciBindings, { revokedAt: sql`now()` })}
    where ${ciBindings.orgId} = ${orgId} and ${ciBindings.projectId} = ${projectId} and ${ciBindings.id} = ${id}`,
);

// What its sessions act as, and what that hangs on.
const endStatement = statement(
  'ci.end-delegate',
  { params: ofBinding },
  ({ orgId, projectId, id }) => sql`with ended as (
      update ${delegates} ${setOf(delegates, { revokedAt: sql`coalesce(${delegates.revokedAt}, now())` })}
      from ${ciBindings} where ${ciBindings.orgId} = ${orgId} and ${ciBindings.projectId} = ${projectId}
        and ${ciBindings.id} = ${id} and ${delegates.orgId} = ${ciBindings.orgId} and ${delegates.id} = ${ciBindings.delegateId}
      returning ${delegates.orgId}, ${delegates.grantId}
    ) update ${projectGrants} ${setOf(projectGrants, { revokedAt: sql`coalesce(${projectGrants.revokedAt}, now())` })}
    from ended where ${projectGrants.orgId} = ended.org_id and ${projectGrants.id} = ended.grant_id`,
);

const forgetStatement = statement(
  'ci.forget-project',
  { params: pick(ciBindings, 'projectId') },
  ({ projectId }) => sql`delete from ${ciBindings} where ${ciBindings.projectId} = ${projectId}`,
);
