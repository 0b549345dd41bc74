import { sql } from '../../db/drizzle.ts';
import { isPast } from '../../db/intervals.ts';
import { appForks } from '../../db/schema/apps.ts';
import { domain } from '../../kernel/run/domain.ts';
import { onProjectDeletion } from '../projects/shared/deletion-hooks.ts';
import { browseApps, getApp } from './browse-apps.ts';
import { appErrors } from './error-codes.ts';
import { appEventTypes } from './event-types.ts';
import { forgetApps, forgetVersions } from './forget-apps.ts';
import { forkApp, getFork } from './fork-app.ts';
import { deleteVersion, listVersions, updateVersion } from './manage-versions.ts';
import { publishApp } from './publish-app.ts';
import { appActions } from './shared/actions.ts';

onProjectDeletion(forgetApps);

export const apps = domain('apps', {
  errors: appErrors,
  actions: appActions,
  events: appEventTypes,
  operations: [browseApps, getApp, forkApp, listVersions, getFork, publishApp, updateVersion, deleteVersion],
  expires: [{ table: appForks, when: sql`${appForks.status} = 'failed' and ${isPast(appForks.updatedAt, '1 day')}` }],
  housekeeping: { 'forget versions of apps': forgetVersions },
});
