import { sql } from '../../db/drizzle.ts';
import { isPast } from '../../db/intervals.ts';
import { contentObjects, contentPlans, contentUploads } from '../../db/schema/content.ts';
import { pick, statement } from '../../db/sql.ts';
import { domain } from '../../kernel/run/domain.ts';
import { onProjectDeletion } from '../projects/shared/deletion-hooks.ts';
import { commitContent } from './commit-content.ts';
import { contentErrors } from './error-codes.ts';
import { goneFrom } from './let-go.ts';
import { planContent } from './plan-content.ts';
import { discardUploads, letGoOfContent, removeContent } from './remove-content.ts';
import { contentActions } from './shared/actions.ts';
import { sweepStore } from './sweep-store.ts';

// The content of a project ends with it; uploads are discarded as if they had expired.
onProjectDeletion(async (work, project) => {
  await work.rows(letGoStatement.with(project));
  await work.rows(endUploadsStatement.with(project));
});

export const content = domain('content', {
  errors: contentErrors,
  actions: contentActions,
  operations: [planContent, commitContent],
  expires: [{ table: contentPlans, when: isPast(contentPlans.expiresAt) }],
  housekeeping: {
    'discard expired uploads': discardUploads,
    'let go of content that nothing names': letGoOfContent,
    'sweep the object store': sweepStore,
    'remove content that nobody holds': removeContent,
  },
});

const ofProject = pick(contentObjects, 'orgId', 'projectId');

const letGoStatement = statement(
  'content.let-go-of-project',
  { params: ofProject },
  (given) =>
    sql`with ${goneFrom(
      sql`${contentObjects.orgId} = ${given.orgId} and ${contentObjects.projectId} = ${given.projectId}`,
    )} select`,
);

const endUploadsStatement = statement(
  'content.end-uploads-of-project',
  { params: ofProject },
  (given) => sql`update ${contentUploads} set expires_at = now()
    where ${contentUploads.orgId} = ${given.orgId} and ${contentUploads.projectId} = ${given.projectId}`,
);
