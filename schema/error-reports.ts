import { loadRecorded } from '../resolvers/errors/load-errors.ts';
import { reportActivation } from '../resolvers/errors/report-activation.ts';
import { type FidelityReported, reportFidelity } from '../resolvers/errors/report-fidelity.ts';
import { type InvocationsReported, reportInvocations } from '../resolvers/errors/report-invocations.ts';
import { type OccurrencesReported, reportOccurrences } from '../resolvers/errors/report-occurrences.ts';
import type { Activation } from '../resolvers/errors/shared/record-activation.ts';
import { builder } from './builder.ts';
import { ErrorFingerprintRef, OccurrenceKindEnum } from './errors.ts';
import { changeField } from './operation-field.ts';
import { ProjectRef } from './projects.ts';

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

changeField('reportErrorOccurrences', reportOccurrences, {
  type: OccurrencesReportedRef,
  input: 'Failures of a project’s functions.',
  argument: 'The failures.',
  types: {
    occurrences: {
      name: 'ErrorOccurrenceInput',
      description: 'One failure of a function.',
      types: { kind: OccurrenceKindEnum },
    },
  },
});

changeField('reportReleaseActivation', reportActivation, {
  type: ActivationRef,
  input: 'A release that became the active one.',
  argument: 'The release.',
});

changeField('reportInvocations', reportInvocations, {
  type: InvocationsReportedRef,
  input: 'How often a project’s functions ran.',
  argument: 'The counts.',
  types: { invocations: { name: 'FunctionInvocationsInput', description: 'How often a function ran.' } },
});

changeField('reportFunctionFidelity', reportFidelity, {
  type: FidelityReportedRef,
  input: 'The active functions of a project.',
  argument: 'The functions.',
  types: {
    functions: {
      name: 'FunctionFidelityInput',
      description: 'How well the errors of a function are known.',
      types: { fidelity: FidelityEnum },
    },
  },
});
