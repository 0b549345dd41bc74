import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { onNamedOrOwnProject } from '../../kernel/access/access.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { lockProjectFor } from '../projects/shared/lock-project.ts';
import { anyKey, findAsset, ofProject, type ShownAsset, shownAsset } from './asset.ts';
import { assetActions } from './shared/actions.ts';
import { assetPlace } from './shared/asset-place.ts';
import { publishAssets } from './shared/publish-assets.ts';

/** `DELETE /storage/v1/blob/:key`. Contract 03, section 4.4. */
export const deleteAsset = mutation({
  name: 'assets.delete',
  tool: 'assets_rm',
  command: 'assets rm',
  sdk: 'rm',
  effects: ['destructive', 'idempotent'],
  summary: 'Delete an asset of a project. Addresses of its versions serve until their bytes are removed.',
  access: onNamedOrOwnProject(assetActions['project:assets:write']),
  lifecycle: 'gated',
  input: z.object({ ...ofProject, key: anyKey }),
  async handler(work, { key }): Promise<ShownAsset> {
    const { services, org, project } = work;
    await lockProjectFor(work, assetActions['project:assets:write']);
    const owner = { orgId: org.id, projectId: project.id };
    const found = await findAsset(work.rows, owner, key);
    if (found === undefined) throw new ServiceError('ASSET_NOT_FOUND', { details: { key } });
    await publishAssets(work.rows, owner, { put: [], delete: [key], sync: undefined });
    return shownAsset(found, await assetPlace(services, { org, project }, work.rows));
  },
  audit: ({ facts: { key, sha256 } }, _input, { project }) => ({
    action: 'asset.deleted',
    object: { kind: 'asset', id: key },
    details: { project_id: project.id, sha256 },
  }),
  wire: z.object({ status: z.literal('deleted'), key: z.string() }),
  toWire: ({ facts: { key } }) => ({ status: 'deleted' as const, key }),
});
