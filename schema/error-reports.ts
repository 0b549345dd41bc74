import { dropNulls } from '../core/drop-nulls.ts';
import { loadRecorded } from '../resolvers/errors/load-errors.ts';
import { type Activation, reportActivation } from '../resolvers/errors/report-activation.ts';
import { type FidelityReported, reportFidelity } from '../resolvers/errors/report-fidelity.ts';
import { type InvocationsReported, reportInvocations } from '../resolvers/errors/report-invocations.ts';
import { type OccurrencesReported, reportOccurrences } from '../resolvers/errors/report-occurrences.ts';
import { builder } from './builder.ts';
import { ErrorFingerprintRef, OccurrenceKindEnum } from './errors.ts';
import { nativeId } from './global-id.ts';
import { keyed, keyField } from './idempotency.ts';
import { type InputFields, projectField } from './input-fields.ts';
import { fieldOf } from './operation-field.ts';
import { ProjectRef } from './projects.ts';
import { run } from './run.ts';

/** The project that something was reported of. */
const itsProject = { type: ProjectRef, nullable: true, description: 'The project.' } as const;

const OccurrencesReportedRef = builder.objectRef<OccurrencesReported>('ErrorOccurrencesReported').implement({
  description: 'What reporting failures came to.',
  fields: (t) => ({
    recorded: t.exposeInt('recorded', { description: 'How many were counted.' }),
    fingerprints: t.field({
      type: [ErrorFingerprintRef],
      description: 'The rows that they were added to.',
      resolve: async (reported, _args, ctx) => [...(await loadRecorded(ctx, reported, reported.rows))],
    }),
    project: t.field({ ...itsProject, resolve: ({ projectId }) => projectId }),
  }),
});

const ActivationRef = builder.objectRef<Activation>('ReleaseActivation').implement({
  description: 'That a release became the active one.',
  fields: (t) => ({
    releaseId: t.exposeString('releaseId', { description: 'The release, `rel_…`.' }),
    activatedAt: t.expose('activatedAt', { type: 'DateTime', description: 'When it did.' }),
    project: t.field({ ...itsProject, resolve: ({ projectId }) => projectId }),
  }),
});

const InvocationsReportedRef = builder.objectRef<InvocationsReported>('InvocationsReported').implement({
  description: 'What reporting invocations came to.',
  fields: (t) => ({
    recorded: t.exposeFloat('recorded', { description: 'How many were added.' }),
    project: t.field({ ...itsProject, resolve: ({ projectId }) => projectId }),
  }),
});

const FidelityReportedRef = builder.objectRef<FidelityReported>('FunctionFidelityReported').implement({
  description: 'How well the errors of active functions are known.',
  fields: (t) => ({
    fullFidelityFunctions: t.exposeInt('full', { description: 'Functions whose errors are told in full.' }),
    coarseFunctions: t.exposeInt('coarse', { description: 'Functions whose errors are merely counted.' }),
    project: t.field({ ...itsProject, resolve: ({ projectId }) => projectId }),
  }),
});

const FidelityEnum = builder.enumType('FunctionFidelity', {
  description: 'How well the errors of a function are known.',
  values: {
    FULL: { value: 'full', description: 'Its wrapper tells name, message and frames of each.' },
    COARSE: { value: 'coarse', description: 'It was built before there was such a wrapper.' },
  } as const,
});

/** What every report of something that a function did has. */
const happened = (t: InputFields) => ({
  function: t.string({ description: 'Name of the function.' }),
  releaseId: t.string({ required: false, description: 'Release that served it; none when absent.' }),
  at: t.field({ type: 'DateTime', required: false, description: 'When; now when absent or later than now.' }),
});

const OccurrenceInput = builder.inputType('ErrorOccurrenceInput', {
  description: 'One failure of a function.',
  fields: (t) => ({
    ...happened(t),
    kind: t.field({ type: OccurrenceKindEnum, description: 'Where it came to light.' }),
    sampleId: t.string({ description: 'Request, run or attempt: `req_…`, `fnrun_…` or `fnatt_…`.' }),
    name: t.string({ required: false, description: 'Name of the error.' }),
    message: t.string({ required: false, description: 'What it said.' }),
    stack: t.string({ required: false, description: 'Its stack, or names of functions, one in a line.' }),
    status: t.int({ required: false, description: 'Status of a response that the function made itself, 500 to 599.' }),
    body: t.string({ required: false, description: 'Body of such a response.' }),
  }),
});

const ReportOccurrencesInput = builder.inputType('ReportErrorOccurrencesInput', {
  description: 'Failures of a project’s functions.',
  fields: (t) => ({
    ...projectField(t),
    occurrences: t.field({ type: [OccurrenceInput], description: 'The failures, at most 100.' }),
    ...keyField(t),
  }),
});

const ReportActivationInput = builder.inputType('ReportReleaseActivationInput', {
  description: 'A release that became the active one.',
  fields: (t) => ({
    ...projectField(t),
    releaseId: t.string({ description: 'The release, `rel_…`.' }),
    at: t.field({ type: 'DateTime', required: false, description: 'When; now when absent or later than now.' }),
    ...keyField(t),
  }),
});

const InvocationsInput = builder.inputType('FunctionInvocationsInput', {
  description: 'How often a function ran.',
  fields: (t) => ({ ...happened(t), count: t.int({ description: 'How often since the last report.' }) }),
});

const ReportInvocationsInput = builder.inputType('ReportInvocationsInput', {
  description: 'How often a project’s functions ran.',
  fields: (t) => ({
    ...projectField(t),
    invocations: t.field({ type: [InvocationsInput], description: 'Counts to add, at most 100.' }),
    ...keyField(t),
  }),
});

const FidelityInput = builder.inputType('FunctionFidelityInput', {
  description: 'How well the errors of a function are known.',
  fields: (t) => ({
    function: t.string({ description: 'Name of the function.' }),
    fidelity: t.field({ type: FidelityEnum, description: 'How well.' }),
  }),
});

const ReportFidelityInput = builder.inputType('ReportFunctionFidelityInput', {
  description: 'The active functions of a project.',
  fields: (t) => ({
    ...projectField(t),
    functions: t.field({ type: [FidelityInput], description: 'All of them: what was reported before is replaced.' }),
    ...keyField(t),
  }),
});

const projectOf = (id: string) => nativeId('Project', id);
const timeOf = (at: Date | null | undefined) => at?.toISOString();

builder.mutationFields((t) => ({
  reportErrorOccurrences: t.field({
    type: OccurrencesReportedRef,
    nullable: true,
    ...fieldOf(reportOccurrences),
    authScopes: { credential: true },
    args: { input: t.arg({ type: ReportOccurrencesInput, description: 'The failures.' }) },
    resolve: (_root, { input: { project, occurrences, idempotencyKey } }, ctx) =>
      run(reportOccurrences, keyed(ctx, idempotencyKey ?? undefined), {
        project: projectOf(project),
        occurrences: occurrences.map(({ sampleId, releaseId, at, ...rest }) => ({
          ...dropNulls({ ...rest, release_id: releaseId, at: timeOf(at) }),
          function: rest.function,
          kind: rest.kind,
          sample_id: sampleId,
        })),
      }),
  }),
  reportReleaseActivation: t.field({
    type: ActivationRef,
    nullable: true,
    ...fieldOf(reportActivation),
    authScopes: { credential: true },
    args: { input: t.arg({ type: ReportActivationInput, description: 'The release.' }) },
    resolve: (_root, { input: { project, releaseId, at, idempotencyKey } }, ctx) =>
      run(reportActivation, keyed(ctx, idempotencyKey ?? undefined), {
        project: projectOf(project),
        release_id: releaseId,
        ...dropNulls({ at: timeOf(at) }),
      }),
  }),
  reportInvocations: t.field({
    type: InvocationsReportedRef,
    nullable: true,
    ...fieldOf(reportInvocations),
    authScopes: { credential: true },
    args: { input: t.arg({ type: ReportInvocationsInput, description: 'The counts.' }) },
    resolve: (_root, { input: { project, invocations, idempotencyKey } }, ctx) =>
      run(reportInvocations, keyed(ctx, idempotencyKey ?? undefined), {
        project: projectOf(project),
        invocations: invocations.map(({ function: name, count, releaseId, at }) => ({
          function: name,
          count,
          ...dropNulls({ release_id: releaseId, at: timeOf(at) }),
        })),
      }),
  }),
  reportFunctionFidelity: t.field({
    type: FidelityReportedRef,
    nullable: true,
    ...fieldOf(reportFidelity),
    authScopes: { credential: true },
    args: { input: t.arg({ type: ReportFidelityInput, description: 'The functions.' }) },
    resolve: (_root, { input: { project, functions, idempotencyKey } }, ctx) =>
      run(reportFidelity, keyed(ctx, idempotencyKey ?? undefined), {
        project: projectOf(project),
        functions: [...functions],
      }),
  }),
}));
