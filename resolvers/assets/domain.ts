import { sql } from '../../db/drizzle.ts';
import { isPast } from '../../db/intervals.ts';
import { assets, assetVersions } from '../../db/schema/assets.ts';
import { pick, statement } from '../../db/sql.ts';
import { domain } from '../../kernel/run/domain.ts';
import { onProjectDeletion } from '../projects/shared/deletion-hooks.ts';
import { deleteAsset } from './delete-asset.ts';
import { diagnoseAssetUrl } from './diagnose-url.ts';
import { assetErrors } from './error-codes.ts';
import { getAsset } from './get-asset.ts';
import { listAssets } from './list-assets.ts';
import { listAssetFolders } from './list-folders.ts';
import { putAsset } from './put-asset.ts';
import { assetActions } from './shared/actions.ts';
import { signAsset } from './sign-asset.ts';
import { waitFresh } from './wait-fresh.ts';

// The assets of a project end with it; its content is let go of by its own domain.
onProjectDeletion(async (work, project) => {
  await work.rows(forgetStatement.with(project));
  await work.rows(forgetVersionsStatement.with(project));
});

export const assetsDomain = domain('assets', {
  errors: assetErrors,
  actions: assetActions,
  operations: [listAssets, listAssetFolders, getAsset, putAsset, deleteAsset, signAsset, diagnoseAssetUrl, waitFresh],
  // Their bytes are let go of after 25 hours: what is not there any more is not promised any more.
  expires: [{ table: assetVersions, when: isPast(assetVersions.retiredAt, '25 hours') }],
});

const ofProject = pick(assets, 'orgId', 'projectId');

const forgetStatement = statement(
  'assets.forget',
  { params: ofProject },
  ({ orgId, projectId }) => sql`delete from ${assets}
    where ${assets.orgId} = ${orgId} and ${assets.projectId} = ${projectId}`,
);

const forgetVersionsStatement = statement(
  'assets.forget-versions',
  { params: ofProject },
  ({ orgId, projectId }) => sql`delete from ${assetVersions}
    where ${assetVersions.orgId} = ${orgId} and ${assetVersions.projectId} = ${projectId}`,
);
