import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { onNamedOrOwnProject } from '../../kernel/access/access.ts';
import { query } from '../../kernel/run/operation.ts';
import { AssetWire, anyKey, assetToWire, findAsset, ofProject, type ShownAsset, shownAsset } from './asset.ts';
import { assetActions } from './shared/actions.ts';
import { assetPlace } from './shared/asset-place.ts';

/** `GET /storage/v1/blob/:key`, which answers the bytes themselves. Contract 03, section 4.4. */
export const getAsset = query({
  name: 'assets.get',
  tool: 'assets_get',
  command: 'assets get',
  summary: 'An asset of a project by its key, with its addresses and its digest.',
  access: onNamedOrOwnProject(assetActions['project:assets:read']),
  input: z.object({ ...ofProject, key: anyKey }),
  async handler({ services, org, project }, { key }): Promise<ShownAsset> {
    const [found, place] = await Promise.all([
      findAsset(services.db.rows, { orgId: org.id, projectId: project.id }, key),
      assetPlace(services, { org, project }),
    ]);
    if (found === undefined) throw new ServiceError('ASSET_NOT_FOUND', { details: { key } });
    return shownAsset(found, place);
  },
  wire: AssetWire,
  toWire: assetToWire,
});
