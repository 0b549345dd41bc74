import type { BackupJob, MissingDatabase } from '../db/schema/installation.ts';
import { type BegunEpoch, beginEpoch } from '../resolvers/installation/begin-epoch.ts';
import { getInstallation, type Installation } from '../resolvers/installation/get-installation.ts';
import { backupSeconds, type KnownBackups, listBackups } from '../resolvers/installation/list-backups.ts';
import { type ListedNode, listNodes, nodeState } from '../resolvers/installation/list-nodes.ts';
import type { BackupSummary } from '../resolvers/installation/services.ts';
import { startBackup } from '../resolvers/installation/start-backup.ts';
import { builder } from './builder.ts';
import { changeField, fieldOf, readField } from './operation-field.ts';
import { run } from './run.ts';

const NodeStateEnum = builder.enumType('GatewayNodeState', {
  description: 'Whether a node serves.',
  values: {
    ALIVE: { value: 'alive', description: 'It was heard of in the last half minute.' },
    GONE: { value: 'gone', description: 'It was killed, or cannot reach the database.' },
  } as const,
});

const NodeRef = builder.objectRef<ListedNode>('GatewayNode').implement({
  description: 'A gateway that serves the installation. One that stops cleanly leaves the list at once.',
  fields: (t) => ({
    nodeId: t.exposeString('id', { description: 'Native id, `nod_…`; new with each start.' }),
    state: t.field({ type: NodeStateEnum, description: 'Whether it serves.', resolve: nodeState }),
    host: t.exposeString('host', { description: 'Name of its machine.' }),
    pid: t.exposeInt('pid', { description: 'Number of its process.' }),
    version: t.exposeString('version', { description: 'Version of the gateway.' }),
    url: t.exposeString('url', { description: 'Where it listens, which may be an address of its machine alone.' }),
    startedAt: t.expose('startedAt', { type: 'DateTime', description: 'When it started.' }),
    seenAt: t.expose('seenAt', {
      type: 'DateTime',
      description: 'When it was last heard of; it tells every 10 seconds.',
    }),
    lagMs: t.exposeFloat('lagMs', {
      description: 'Delay of the event loop that one in a hundred ticks exceeded since then, in milliseconds.',
    }),
    rssBytes: t.float({ description: 'Memory of the process.', resolve: ({ rssBytes }) => Number(rssBytes) }),
    heapBytes: t.float({ description: 'Memory of its objects.', resolve: ({ heapBytes }) => Number(heapBytes) }),
    poolTotal: t.exposeInt('poolTotal', { description: 'Connections to the control database.' }),
    poolIdle: t.exposeInt('poolIdle', { description: 'Those of them that are free.' }),
    poolWaiting: t.exposeInt('poolWaiting', { description: 'Requests that wait for one.' }),
    sockets: t.exposeInt('sockets', { description: 'WebSockets that are open.' }),
    subscriptions: t.exposeInt('subscriptions', { description: 'Subscriptions that run.' }),
  }),
});

const JobStateEnum = builder.enumType('BackupJobState', {
  description: 'How a backup goes.',
  values: {
    RUNNING: { value: 'running', description: 'It runs.' },
    DONE: { value: 'done', description: 'It is made; `missing` names databases that could not be saved.' },
    FAILED: { value: 'failed', description: 'It was not made; `error` says why.' },
  } as const,
});

const MissingRef = builder.objectRef<MissingDatabase>('MissingDatabase').implement({
  description: 'A database that a backup lacks.',
  fields: (t) => ({
    database: t.exposeString('database', { description: 'Its name on the server.' }),
    reason: t.exposeString('reason', { description: 'Why it could not be saved.' }),
  }),
});

const JobRef = builder.objectRef<BackupJob>('BackupJob').implement({
  description: 'A backup that was started through the gateway.',
  fields: (t) => ({
    jobId: t.exposeString('id', { description: 'Native id, `bak_…`.' }),
    state: t.expose('state', { type: JobStateEnum, description: 'How it goes.' }),
    startedAt: t.expose('startedAt', { type: 'DateTime', description: 'When it began.' }),
    endedAt: t.expose('endedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it ended; null while it runs.',
    }),
    step: t.exposeString('step', { nullable: true, description: 'The step that is under way.' }),
    progress: t.exposeFloat('progress', { nullable: true, description: 'From 0 to 1; null while it is not known.' }),
    run: t.exposeString('run', { nullable: true, description: 'The backup that it made; null until then.' }),
    missing: t.field({
      type: [MissingRef],
      description: 'Databases that could not be saved.',
      resolve: ({ missing }) => [...missing],
    }),
    error: t.exposeString('error', { nullable: true, description: 'Why it failed; null when it did not.' }),
  }),
});

const BackupRef = builder.objectRef<BackupSummary>('Backup').implement({
  description: 'A backup in the folder. What it holds is null for a damaged one.',
  fields: (t) => {
    const count = (name: 'databases' | 'projects' | 'missing' | 'rows' | 'files' | 'bytes', description: string) =>
      t.float({ nullable: true, description, resolve: ({ contents }) => contents?.[name] ?? null });
    const text = (name: 'gateway' | 'postgres' | 'secrets', description: string) =>
      t.string({ nullable: true, description, resolve: ({ contents }) => contents?.[name] ?? null });
    return {
      run: t.exposeString('run', { description: 'Its name, which `svc restore --run` takes.' }),
      startedAt: t.expose('startedAt', { type: 'DateTime', description: 'When it was begun.' }),
      createdAt: t.field({
        type: 'DateTime',
        nullable: true,
        description: 'When it was finished.',
        resolve: ({ contents }) => contents?.createdAt ?? null,
      }),
      durationSeconds: t.int({ nullable: true, description: 'How long it took.', resolve: backupSeconds }),
      gateway: text('gateway', 'Version of the gateway.'),
      postgres: text('postgres', 'Version of PostgreSQL.'),
      databases: count('databases', 'Databases, the control database among them.'),
      projects: count('projects', 'Projects that were ready.'),
      missing: count('missing', 'Projects whose database could not be saved.'),
      rows: count('rows', 'Rows of all databases.'),
      files: count('files', 'Stored files.'),
      bytes: count('bytes', 'Compressed size, with parts that other backups share.'),
      secrets: text('secrets', '`passphrase` or `root`: under which its secrets are encrypted.'),
      damaged: t.exposeString('damaged', { nullable: true, description: 'Why it cannot be read; null when it can.' }),
    };
  },
});

const BackupsRef = builder.objectRef<KnownBackups>('InstallationBackups').implement({
  description: 'The backups that the answering node knows.',
  fields: (t) => ({
    folder: t.exposeString('folder', { nullable: true, description: 'Their folder; null without `SVC_BACKUP_DIR`.' }),
    isOverdue: t.exposeBoolean('isOverdue', {
      nullable: true,
      description: 'Whether the latest good backup is older than a day, or there is none; null without a folder.',
    }),
    backups: t.field({
      type: [BackupRef],
      description: 'Backups, the newest first.',
      resolve: ({ backups }) => [...backups],
    }),
    job: t.expose('job', {
      type: JobRef,
      nullable: true,
      description: 'The latest one that was started through the gateway.',
    }),
  }),
});

export const InstallationRef = builder.objectRef<Installation>('Installation').implement({
  description: 'The whole installation, for its platform admin.',
  fields: (t) => ({
    version: t.exposeString('version', { description: 'Version of the gateway.' }),
    nodeVersion: t.exposeString('nodeVersion', { description: 'Version of Node.js.' }),
    postgresVersion: t.exposeString('postgresVersion', { description: 'Version of the control database’s server.' }),
    nodeId: t.exposeString('nodeId', { description: 'The node that answers, `nod_…`.' }),
    startedAt: t.expose('startedAt', { type: 'DateTime', description: 'When that node started.' }),
    production: t.exposeBoolean('production', { description: 'Whether `NODE_ENV` is `production`.' }),
    leases: t.exposeBoolean('leases', { description: 'Whether organizations have leases that end.' }),
    mail: t.exposeString('mail', { description: '`smtp`: it goes out; `outbox`: it waits there.' }),
    payments: t.exposeString('payments', { description: '`self`, `facilitator` or `unavailable`: who settles them.' }),
    functions: t.exposeString('functions', {
      description:
        '`isolated`, `trusted` (without isolation, as the operator allows) or `unavailable`: how functions run on that node.',
    }),
    functionsReason: t.exposeString('functionsReason', {
      nullable: true,
      description: 'Why functions are not isolated there; null where they are.',
    }),
    signals: t.exposeString('signals', { description: '`nats`, or `local` for one node.' }),
    database: t.exposeString('database', { description: '`embedded`, or `external` by `DATABASE_URL`.' }),
    dataFolder: t.exposeString('dataFolder', { description: 'The data folder of the node, where stored files are.' }),
    databaseBytes: t.exposeFloat('databaseBytes', { description: 'Size of the control database.' }),
    migrations: t.exposeInt('migrations', { description: 'Migrations of the control database so far.' }),
    migratedTo: t.expose('migratedTo', { type: 'DateTime', description: 'When the newest migration was made.' }),
    nodes: t.field({
      type: [NodeRef],
      nullable: true,
      ...fieldOf(listNodes),
      resolve: (_installation, _args, ctx) => run(listNodes, ctx, {}),
    }),
    backups: t.field({
      type: BackupsRef,
      nullable: true,
      ...fieldOf(listBackups),
      resolve: (_installation, _args, ctx) => run(listBackups, ctx, {}),
    }),
  }),
});

readField('installation', getInstallation, { type: InstallationRef });

changeField('startBackup', startBackup, {
  type: JobRef,
  input: 'A backup of the whole installation.',
  argument: 'The backup.',
});

const EpochRef = builder.objectRef<BegunEpoch>('FeedEpoch').implement({
  description: 'An epoch of feeds: cursors that were given out in another one are not good.',
  fields: (t) => ({
    epoch: t.exposeString('epoch', { description: 'Its name, which is no secret.' }),
    begunAt: t.expose('begunAt', { type: 'DateTime', description: 'When it began.' }),
  }),
});

changeField('beginEpoch', beginEpoch, {
  type: EpochRef,
  input: 'A new epoch of feeds.',
  argument: 'The epoch.',
});
