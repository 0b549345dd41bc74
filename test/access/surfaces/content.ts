import { createHash, randomUUID } from 'node:crypto';
import type { Stage, Surfaces } from './surface.ts';

export const contentSurfaces = ({ params, service }: Stage): Surfaces => {
  /** A plan whose one object is held already, since another one committed it. */
  const plan = async () => {
    const id = `cplan_${randomUUID()}`;
    await service.control.sql(
      `insert into content_plans (org_id, project_id, id, content, expires_at)
       select org_id, id, $2, '[]', now() + interval '1 day' from projects where id = $1`,
      [params.project_id, id],
    );
    return { plan_id: id };
  };
  const content = () => [{ sha256: createHash('sha256').update('body').digest('hex'), size: 4 }];
  return {
    'POST /content/v1/plans': {
      cells: 'A + + F N + + F',
      body: () => ({ project_id: params.project_id, content: content() }),
      audited: {
        action: 'content.planned',
        kind: 'content_plan',
        objectId: 'plan_id',
        written: 'select xmin::text from content_plans where id = $1',
      },
      field: () =>
        `mutation { planContent(input: { project: "${params.project_id}", content: [{ sha256: "${content()[0]!.sha256}", size: 4 }] }) { planId } }`,
    },
    'POST /content/v1/plans/:plan_id/commit': {
      cells: 'A + + F N + + F',
      prepare: plan,
      audited: {
        action: 'content.committed',
        kind: 'content_plan',
        objectId: 'plan_id',
        written: 'select xmin::text from content_plans where id = $1',
      },
      body: () => ({ project_id: params.project_id }),
      field: () =>
        `mutation { commitContent(input: { project: "${params.project_id}", plan: "${params.plan_id}" }) { planId } }`,
    },
  };
};
