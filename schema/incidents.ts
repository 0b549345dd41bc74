import { declareIncident } from '../resolvers/incidents/declare-incident.ts';
import { resolveIncident } from '../resolvers/incidents/resolve-incident.ts';
import { type DeclaredIncident, statusOf } from '../resolvers/incidents/wire.ts';
import { builder } from './builder.ts';
import { changeField } from './operation-field.ts';

const SubsystemEnum = builder.enumType('IncidentSubsystem', {
  description: 'A part of the platform.',
  values: {
    FUNCTIONS: { value: 'functions', description: 'Running functions.' },
    DATABASE: { value: 'database', description: 'Databases of projects, or the platform’s own.' },
    MAIL: { value: 'mail', description: 'Mail out and in.' },
    STORAGE: { value: 'storage', description: 'Stored objects.' },
    EDGE: { value: 'edge', description: 'The way in: hosts, certificates, routing.' },
    DEPLOY: { value: 'deploy', description: 'Making and activating releases.' },
  } as const,
});

const SeverityEnum = builder.enumType('IncidentSeverity', {
  description: 'How bad an incident is.',
  values: {
    MINOR: { value: 'minor', description: 'Some things are slower or fail now and then.' },
    MAJOR: { value: 'major', description: 'Something important fails often.' },
    CRITICAL: { value: 'critical', description: 'Something important does not work.' },
  } as const,
});

const ScopeEnum = builder.enumType('IncidentScope', {
  description: 'Whom an incident concerns.',
  values: {
    GLOBAL: { value: 'global', description: 'Nobody in particular.' },
    PROJECTS: { value: 'projects', description: 'The projects it is attributed to.' },
  } as const,
});

export const IncidentStatusEnum = builder.enumType('IncidentStatus', {
  description: 'Whether an incident lasts.',
  values: {
    ONGOING: { value: 'ongoing', description: 'It lasts.' },
    RESOLVED: { value: 'resolved', description: 'It is over.' },
  } as const,
});

export const PlatformIncidentRef = builder.objectRef<DeclaredIncident>('PlatformIncident').implement({
  description: 'A fault of the platform’s that its admin declared.',
  fields: (t) => ({
    incidentId: t.exposeString('id', { description: 'Native id, `inc_…`.' }),
    subsystem: t.expose('subsystem', { type: SubsystemEnum, description: 'What does not work as it should.' }),
    severity: t.expose('severity', { type: SeverityEnum, description: 'How bad it is.' }),
    scope: t.expose('scope', { type: ScopeEnum, description: 'Whom it concerns.' }),
    projectIds: t.stringList({
      description: 'Projects it is attributed to, `prj_…`, at most 500.',
      resolve: ({ projectIds }) => [...projectIds],
    }),
    status: t.field({ type: IncidentStatusEnum, description: 'Whether it lasts.', resolve: statusOf }),
    summary: t.exposeString('summary', { description: 'What is known.' }),
    startedAt: t.expose('startedAt', { type: 'DateTime', description: 'When it was declared.' }),
    resolvedAt: t.expose('resolvedAt', { type: 'DateTime', nullable: true, description: 'When it was over.' }),
  }),
});

changeField('declareIncident', declareIncident, {
  type: PlatformIncidentRef,
  input: 'A fault of the platform’s.',
  argument: 'The incident.',
  types: { subsystem: SubsystemEnum, severity: SeverityEnum, scope: ScopeEnum },
});

changeField('resolveIncident', resolveIncident, {
  type: PlatformIncidentRef,
  input: 'A fault that is over.',
  argument: 'The incident.',
});
