import type { Stage, Surfaces } from './surface.ts';

export const installationSurfaces = ({ params, service }: Stage): Surfaces => {
  const installation = (selection: string) => () => `{ installation { ${selection} } }`;
  const admin = 'A P P P P P P +';
  return {
    'GET /admin/v1/installation': {
      addition: { status: 200, reason: 'the platform admin sees what runs without a shell on the machine' },
      cells: admin,
      field: installation('version'),
    },
    'GET /admin/v1/nodes': {
      addition: { status: 200, reason: 'the platform admin sees which gateways serve' },
      cells: admin,
      field: installation('nodes { nodeId }'),
    },
    'GET /admin/v1/orgs': {
      addition: { status: 200, reason: 'who answers for all organizations finds one' },
      cells: admin,
      field: installation('organizations { edges { cursor } }'),
    },
    'GET /orgs/v1/admin/:org_id/limits': {
      addition: { status: 200, reason: 'limits that can be set can be read' },
      cells: admin,
      field: () => `{ installation { organization(org: "${params.org_id}") { orgId } } }`,
    },
    'GET /admin/v1/incidents': {
      addition: { status: 200, reason: 'incidents that are declared can be found again' },
      cells: admin,
      field: installation('incidents { edges { cursor } }'),
    },
    'GET /admin/v1/feedback': {
      addition: { status: 200, reason: 'what users wrote reaches whoever runs the platform' },
      cells: admin,
      field: installation('feedback { edges { cursor } }'),
    },
    'GET /admin/v1/backups': {
      addition: { status: 200, reason: 'the platform admin sees whether the installation is saved' },
      cells: admin,
      field: installation('backups { folder }'),
    },
    'POST /admin/v1/backups': {
      addition: { status: 202, reason: 'a backup is started without a shell on the machine' },
      audited: {
        action: 'installation.backup_started',
        kind: 'backup_job',
        objectId: 'job_id',
        written: 'select xmin::text from backup_jobs where id = $1',
      },
      cells: 'A P P F P P P +',
      prepare: async () => {
        // One at a time.
        await service.control.sql(`update backup_jobs set state = 'failed', ended_at = now() where state = 'running'`);
        return undefined;
      },
      field: () => 'mutation { startBackup(input: {}) { jobId } }',
    },
    'POST /admin/v1/epochs': {
      addition: { status: 201, reason: 'a copy that is put back looks like its original, so its operator says so' },
      audited: {
        action: 'installation.epoch_begun',
        kind: 'feed_epoch',
        objectId: 'epoch',
        written: "select xmin::text from platform_facts where key = 'feed_epoch' and value->>'epoch' = $1",
      },
      cells: 'A P P F P P P +',
      field: () => 'mutation { beginEpoch(input: {}) { epoch } }',
    },
  };
};
