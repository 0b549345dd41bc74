import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { ciBindings } from '../../db/schema/ci.ts';
import { pick, setOf, statement } from '../../db/sql.ts';
import { normalised } from '../../engines/ci/delegation.ts';
import { oneLine } from '../../kernel/input/fields.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { grantActions } from '../grants/shared/actions.ts';
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

/** `POST /ci/v1/bindings/:binding_id/asset-scopes`. Contract 03, section 9.1. */
export const setAssetScopes = mutation({
  name: 'ci.setAssetScopes',
  tool: 'ci_set_asset_scopes',
  command: 'ci set-asset-scopes',
  effects: ['idempotent'],
  summary: 'Say which assets workflows of a binding may put, in place of those before. A new binding has none.',
  path: 'POST /ci/v1/bindings/:binding_id/asset-scopes',
  access: onBinding(action),
  stepUp: 'project.grants',
  input: z.object({
    binding: bindingId,
    asset_key_scopes: z
      .array(
        oneLine(1024)
          .min(1)
          .refine(
            (scope) => !scope.slice(0, -1).includes('*') && scope !== '*',
            'may end with *, and has none elsewhere',
          ),
      )
      .max(100)
      .describe('Keys of assets, and prefixes such as `astro/*`.'),
  }),
  async handler(work, { binding: id, asset_key_scopes: given }): Promise<CiBinding> {
    const { project } = work;
    await lockProjectFor(work, action);
    const before = found(await work.rows(findBindingStatement.with({ projectId: project.id, id })), id);
    if (before.revokedAt !== null) throw new ServiceError('CI_BINDING_REVOKED', { details: { binding_id: id } });
    await work.rows(setStatement.with({ projectId: project.id, id, assetKeyScopes: normalised(given) }));
    return found(await work.rows(findBindingStatement.with({ projectId: project.id, id })), id);
  },
  audit: ({ id, projectId, assetKeyScopes }) => ({
    action: 'ci_binding.asset_scopes_set',
    object: { kind: 'ci_binding', id },
    details: { project_id: projectId, asset_key_scopes: assetKeyScopes },
  }),
  wire: CiBindingWire,
  toWire: bindingToWire,
});

const setStatement = statement(
  'ci.set-asset-scopes',
  { params: pick(ciBindings, 'projectId', 'id', 'assetKeyScopes') },
  ({ projectId, id, assetKeyScopes }) => sql`update ${ciBindings} ${setOf(ciBindings, { assetKeyScopes })}
    where ${ciBindings.projectId} = ${projectId} and ${ciBindings.id} = ${id}`,
);
