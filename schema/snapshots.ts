import { createSnapshot } from '../resolvers/snapshots/create-snapshot.ts';
import { deleteSnapshot } from '../resolvers/snapshots/delete-snapshot.ts';
import { getSnapshot, listSnapshots } from '../resolvers/snapshots/read-snapshots.ts';
import type { RestorePlan } from '../resolvers/snapshots/restore/restore-plan.ts';
import { endOfRestore, type Restore, restoreToWire } from '../resolvers/snapshots/restore/restore-row.ts';
import { type PlannedOrBegun, restoreSnapshot } from '../resolvers/snapshots/restore/restore-snapshot.ts';
import { type Snapshot, snapshotActionsOf } from '../resolvers/snapshots/shared/snapshot-row.ts';
import { builder, pageArgs } from './builder.ts';
import { listConnection, listWindowOf, windowInputs } from './connection.ts';
import { changeField, fieldOf, inputsOf } from './operation-field.ts';
import { ProjectRef } from './projects.ts';
import { run } from './run.ts';

const SnapshotKindEnum = builder.enumType('ProjectSnapshotKind', {
  description: 'Why a snapshot was taken.',
  values: {
    MANUAL: { value: 'manual', description: 'Somebody asked for it.' },
    PRE_MIGRATION: { value: 'pre_migration', description: 'A deploy was about to run migrations.' },
    PRE_RESTORE: { value: 'pre_restore', description: 'A restore was about to replace the database.' },
    SCHEDULED: { value: 'scheduled', description: 'The day was over.' },
  } as const,
});

const SnapshotStatusEnum = builder.enumType('ProjectSnapshotStatus', {
  description: 'How a snapshot stands.',
  values: {
    RUNNING: { value: 'running', description: 'It is being taken.' },
    READY: { value: 'ready', description: 'It can be restored.' },
    FAILED: { value: 'failed', description: 'It could not be taken.' },
    EXPIRED: { value: 'expired', description: 'Its time is over: its bytes are gone.' },
  } as const,
});

const SnapshotRef = builder.objectRef<Snapshot>('ProjectSnapshot').implement({
  description: 'A copy of the database of a project as it was at one moment.',
  fields: (t) => ({
    snapshotId: t.exposeString('id', { description: 'Native id, `snap_…`.' }),
    operationId: t.exposeString('operationId', { description: 'What took it, `op_…`.' }),
    kind: t.expose('kind', { type: SnapshotKindEnum, description: 'Why it was taken.' }),
    status: t.expose('status', { type: SnapshotStatusEnum, description: 'How it stands.' }),
    manifestSha256: t.exposeString('manifestSha256', { nullable: true, description: 'SHA-256 of its list of parts.' }),
    sizeBytes: t.float({
      description: 'What is stored of it, compressed.',
      resolve: ({ sizeBytes }) => Number(sizeBytes),
    }),
    liveReleaseId: t.exposeString('liveReleaseId', { nullable: true, description: 'The release that was live then.' }),
    capturedAt: t.expose('capturedAt', { type: 'DateTime', nullable: true, description: 'The moment that it shows.' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', nullable: true, description: 'Until when it is kept.' }),
    error: t.field({
      type: 'JSONObject',
      nullable: true,
      description: 'Why it could not be taken: a code and a message.',
      resolve: ({ error }) => (error === null ? null : { ...error }),
    }),
    leftOut: t.stringList({
      description: 'What of the database is not part of it, in sentences.',
      resolve: ({ facts }) => [...(facts?.leftOut ?? [])],
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was asked for.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it changed last.' }),
    nextActions: t.field({
      type: 'JSON',
      description: 'What may be done with it now.',
      resolve: (one) => snapshotActionsOf(one),
    }),
  }),
});

const SnapshotConnection = builder.connectionObject({ type: SnapshotRef, name: 'ProjectSnapshotConnection' });
const listed = inputsOf(listSnapshots, { omit: ['project', ...windowInputs], types: { kind: SnapshotKindEnum } });

builder.objectField(ProjectRef, 'snapshots', (t) =>
  t.field({
    type: SnapshotConnection,
    nullable: true,
    ...fieldOf(listSnapshots),
    args: { ...pageArgs, ...listed.args },
    resolve: async ({ id }, args, ctx) =>
      listConnection(await run(listSnapshots, ctx, { project: id, ...listed.read(args), ...listWindowOf(args) }), args),
  }),
);

const one = inputsOf(getSnapshot, { omit: ['project'] });

builder.objectField(ProjectRef, 'snapshot', (t) =>
  t.field({
    type: SnapshotRef,
    nullable: true,
    ...fieldOf(getSnapshot),
    args: one.args,
    resolve: ({ id }, args, ctx) => run(getSnapshot, ctx, { project: id, ...one.read(args) }),
  }),
);

const RestorePlanRef = builder.objectRef<RestorePlan>('RestorePlan').implement({
  description: 'What a restore would do. Nothing is changed until it is confirmed.',
  fields: (t) => ({
    snapshotId: t.exposeString('snapshot_id', { description: 'The snapshot, `snap_…`.' }),
    snapshotAt: t.field({
      type: 'DateTime',
      description: 'The moment that the database goes back to.',
      resolve: ({ snapshot_at: at }) => new Date(at),
    }),
    dataLossStatement: t.exposeString('data_loss_statement', {
      description: 'What is lost, in words for whoever decides.',
    }),
    auth: t.field({
      type: 'JSONObject',
      description: 'What becomes of users and passkeys.',
      resolve: ({ auth }) => ({ ...auth }),
    }),
    release: t.field({
      type: 'JSONObject',
      description: 'The release that was live then, and the one that is. A restore changes neither.',
      resolve: ({ release }) => ({ ...release }),
    }),
    target: t.field({
      type: 'JSONObject',
      description: 'What is replaced, and how.',
      resolve: ({ target }) => ({ ...target }),
    }),
    confirmToken: t.string({ description: 'Confirms the restore.', resolve: ({ confirm }) => confirm.token }),
    confirmExpiresAt: t.field({
      type: 'DateTime',
      description: 'Until when it does.',
      resolve: ({ confirm }) => new Date(confirm.expires_at),
    }),
  }),
});

const RestoreRef = builder.objectRef<Restore>('DatabaseRestore').implement({
  description: 'A restore of the database of a project.',
  fields: (t) => ({
    operationId: t.exposeString('id', { description: 'Native id, `op_…`.' }),
    snapshotId: t.exposeString('snapshotId', { description: 'What is restored.' }),
    preRestoreSnapshotId: t.exposeString('preRestoreId', { description: 'The snapshot of what was replaced.' }),
    oldSchemaSlot: t.exposeString('oldSlot', { description: 'The slot of the database that was replaced.' }),
    newSchemaSlot: t.exposeString('newSlot', {
      nullable: true,
      description: 'The slot of the restored one; null until it has taken the place.',
    }),
    migrationRegistryRows: t.exposeInt('registryRows', {
      nullable: true,
      description: 'Migrations that the database knows of since.',
    }),
    status: t.exposeString('status', { description: '`running`, `ready` or `failed`.' }),
    error: t.field({
      type: 'JSONObject',
      nullable: true,
      description: 'Why it failed: a code and a message. The project has the database that it had.',
      resolve: ({ error }) => (error === null ? null : { ...error }),
    }),
    nextActions: t.field({
      type: 'JSON',
      description: 'What may be done now.',
      resolve: (restore) => restoreToWire(restore).next_actions,
    }),
  }),
});

const PlannedOrBegunRef = builder.objectRef<PlannedOrBegun>('RestoreProjectSnapshotPayload').implement({
  description: 'The plan of a restore, or the restore that was confirmed.',
  fields: (t) => ({
    plan: t.field({
      type: RestorePlanRef,
      nullable: true,
      description: 'The plan, where nothing was confirmed.',
      resolve: (output) => ('plan' in output ? output.plan : null),
    }),
    restore: t.field({
      type: RestoreRef,
      nullable: true,
      description: 'The restore, once it is over or has taken 45 seconds: it goes on by itself.',
      resolve: (output, _args, ctx) => ('plan' in output ? null : endOfRestore(ctx, output.restore)),
    }),
  }),
});

changeField('createProjectSnapshot', createSnapshot, {
  type: SnapshotRef,
  input: 'A snapshot to take.',
  argument: 'The project.',
});

changeField('deleteProjectSnapshot', deleteSnapshot, {
  type: SnapshotRef,
  input: 'A snapshot to delete.',
  argument: 'The snapshot.',
});

changeField('restoreProjectSnapshot', restoreSnapshot, {
  type: PlannedOrBegunRef,
  input: 'A restore to plan, or to confirm.',
  argument: 'The snapshot, and the token of a plan.',
  // `includeAuth` says it.
  omit: ['include'],
});
